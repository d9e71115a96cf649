import { type FormEvent, useId, useState } from "react";
import { Mark } from "../../components/Mark.tsx";

/** Asks for the inbox token, when this browser may not read the inbox without it. */
export function InboxToken({ authorize }: { authorize: (token: string) => Promise<boolean> }) {
  const [refused, setRefused] = useState(false);
  const [busy, setBusy] = useState(false);
  // Each view has such a form, also while another view is shown.
  const id = useId();

  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const field = event.currentTarget.elements.namedItem("token") as HTMLInputElement;
    setBusy(true);
    const accepted = await authorize(field.value);
    setRefused(!accepted);
    setBusy(false);
    // The button was disabled meanwhile, and has lost it.
    if (!accepted) field.focus();
  };

  return (
    <form className="token" onSubmit={send}>
      <p>
        This browser may not read the inbox. Enter the token that the server was given as{" "}
        <code>INBOX_TOKEN</code>. A server without a token is read on its own machine only, as{" "}
        <code>http://localhost</code>.
      </p>
      <label htmlFor={id}>Inbox token</label>
      <div className="line">
        <input
          id={id}
          name="token"
          type="password"
          required
          autoComplete="off"
          aria-invalid={refused}
          aria-describedby={refused ? `${id}-refused` : undefined}
        />
        <button type="submit" disabled={busy}>Open the inbox</button>
      </div>
      {refused && (
        <p id={`${id}-refused`} role="alert" className="refused">
          <Mark kind="refused" />
          This token was not accepted.
        </p>
      )}
    </form>
  );
}
