import { CopyButton } from "../shared/CopyButton.tsx";
import { useMounted } from "../shared/telemetry.ts";
import { inboxAddress, remoteDsn } from "./snippets.ts";
import { SnippetPicker } from "./SnippetPicker.tsx";

/** The prerendered page does not know its address. */
const PRERENDERED = { origin: "http://HOST:PORT", dsn: "http://dev@HOST:PORT/1", isLocal: true };

/** The DSN, code for each kind of application, and how to send from elsewhere. */
export function ConnectGuide() {
  const isMounted = useMounted();
  const page = isMounted ? location : undefined;
  const address = page ? inboxAddress(page) : PRERENDERED;
  return (
    <>
      <p>
        With this DSN every current Sentry SDK, of any language, sends here:{" "}
        <CopiedText name="DSN" text={address.dsn} disabled={!page} />
      </p>
      <noscript>
        <p>HOST:PORT is the address of this page.</p>
      </noscript>
      <SnippetPicker address={address} disabled={!page} />
      <details>
        <summary>From a container, a phone or another machine</summary>
        {page && <Elsewhere page={page} />}
      </details>
    </>
  );
}

/** How to send from other machines: the server accepts their envelopes with its own DSN or its token only. */
function Elsewhere({ page }: { page: Location }) {
  return (
    <ol>
      <li>
        Start this server with{" "}
        <code>HOST=0.0.0.0</code>: it then listens on every interface of this machine.
      </li>
      <li>
        In a container use{" "}
        <CopiedText name="DSN for containers" text={remoteDsn(page, "host.docker.internal")} />{" "}
        Docker on Linux also needs <code>--add-host=host.docker.internal:host-gateway</code>.
      </li>
      <li>
        On a phone or another machine use{" "}
        <code>{remoteDsn(page, "ADDRESS")}</code>, where ADDRESS is that of this machine in the
        network. Only the key <code>inbox</code>{" "}
        is accepted from there, or any key in requests with the header{" "}
        <code>Authorization: Bearer INBOX_TOKEN</code>.
      </li>
      <li>
        A page that is not opened from this machine’s localhost also needs its origin in{" "}
        <code>ALLOWED_ORIGINS</code>, such as <code>http://ADDRESS:3000</code>.
      </li>
      <li>
        <code>SENTRY_SPOTLIGHT</code> sends no DSN, so it works on this machine only.
      </li>
    </ol>
  );
}

/** A text, and the button that copies it. */
function CopiedText({ name, text, disabled }: { name: string; text: string; disabled?: boolean }) {
  return (
    <span className="copied">
      <code>{text}</code>{" "}
      <CopyButton text={() => text} small disabled={disabled}>Copy {name}</CopyButton>
    </span>
  );
}
