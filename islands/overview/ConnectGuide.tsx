import { type ReactNode, useId, useState } from "react";
import { storeChoice, storedChoice } from "../data/stored_choice.ts";
import { CopyButton } from "../kit/CopyButton.tsx";
import { SendTestSignals } from "../pipeline/SendTestSignals.tsx";
import { Arrivals } from "./Arrivals.tsx";
import { type InboxAddress, inboxAddress, OTLP_KEY, remoteDsn, snippetsAt } from "./snippets.ts";

/**
 * The DSN, code for each kind of application, how to send from elsewhere, and what has arrived.
 *
 * @param props.children above them
 */
export function ConnectGuide({ children }: { children: ReactNode }) {
  const address = inboxAddress(location);
  return (
    <div className="connect-guide grid">
      <div className="grid">
        {children}
        <p>
          With this DSN every current Sentry SDK, of any language, sends here. OpenTelemetry needs
          other settings, below:
        </p>
        <CopiedText name="DSN" text={address.dsn} isMain />
        <SnippetPicker address={address} />
        <details>
          <summary>From a container, a phone or another machine</summary>
          <Elsewhere />
        </details>
        <SendTestSignals />
      </div>
      <Arrivals />
    </div>
  );
}

/** How to send from other machines: the server accepts their envelopes with its own DSN or its token only. */
function Elsewhere() {
  return (
    <ol>
      <li>
        Start this server with{" "}
        <code>HOST=0.0.0.0</code>: it then listens on every interface of this machine.
      </li>
      <li>
        In a container use{" "}
        <CopiedText name="DSN for containers" text={remoteDsn(location, "host.docker.internal")} />
        {" "}
        Docker on Linux also needs <code>--add-host=host.docker.internal:host-gateway</code>.
      </li>
      <li>
        On a phone or another machine use{" "}
        <code>{remoteDsn(location, "ADDRESS")}</code>, where ADDRESS is that of this machine in the
        network. Only the key <code>inbox</code>{" "}
        is accepted from there, or any key in requests with the header{" "}
        <code>Authorization: Bearer INBOX_TOKEN</code>.
      </li>
      <li>
        OpenTelemetry also needs the key: <code>{OTLP_KEY}</code>
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

/** A text, and the button that copies it. @param props.isMain what one needs first */
function CopiedText({ name, text, isMain }: { name: string; text: string; isMain?: boolean }) {
  return (
    <span className={isMain ? "copied main-text line" : "copied"}>
      <code className="well">{text}</code>{" "}
      <CopyButton text={() => text} look={isMain ? "primary" : "plain"}>
        Copy {name}
      </CopyButton>
    </span>
  );
}

/** In `localStorage`, for the name of the snippet that was chosen last. */
const CHOICE = "sightglass connect";

/** One snippet at a time; the choice is remembered. */
function SnippetPicker({ address }: { address: InboxAddress }) {
  const [chosen, setChosen] = useState(() => storedChoice(CHOICE));
  // Another view has the same choice: their radio buttons are two groups.
  const group = useId();
  const snippets = snippetsAt(address);
  const shown = snippets.find(({ name }) => name === chosen) ?? snippets[0]!;
  const text = shown.code(address);
  const choose = (name: string) => {
    setChosen(name);
    storeChoice(CHOICE, name);
  };
  return (
    <div className="snippet card">
      <fieldset className="segmented line">
        <legend className="vh">Kind of application</legend>
        {snippets.map(({ name }) => (
          <label key={name}>
            <input
              type="radio"
              name={group}
              checked={name === shown.name}
              onChange={() => choose(name)}
            />
            {name}
          </label>
        ))}
      </fieldset>
      {/* It may scroll, so the keyboard must reach it (WCAG 2.1.1). */}
      <pre tabIndex={0} role="region" aria-label="Code to copy">{text}</pre>
      <footer className="beside">
        <p className="quiet">{shown.note}</p>
        <CopyButton text={() => text}>Copy code</CopyButton>
      </footer>
    </div>
  );
}
