import { type FormEvent, useId, useState } from "react";
import { Marked } from "../../components/OutcomeMark.tsx";
import { authorize } from "../data/read.ts";

/** Asks for the inbox token. Shown when the server denies access to the inbox. */
export function InboxTokenForm({ onAuthorized }: {
  onAuthorized?: () => void;
}) {
  const [refused, setRefused] = useState(false);
  const [busy, setBusy] = useState(false);
  // Several views contain this form at the same time.
  const id = useId();

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const field = event.currentTarget.elements.namedItem("token") as HTMLInputElement;
    setBusy(true);
    const accepted = await authorize(field.value);
    setRefused(!accepted);
    setBusy(false);
    // The submit button lost the focus when it was disabled.
    if (accepted) onAuthorized?.();
    else field.focus();
  };

  return (
    <form className="token spaced" onSubmit={submit}>
      <p>
        Access to the inbox denied. Enter the server’s{" "}
        <code>INBOX_TOKEN</code>. If the server has no token, open this page on the same machine as
        {" "}
        <code>http://localhost</code>.
      </p>
      <div className="line">
        <label htmlFor={id}>Inbox token</label>
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
        <Marked as="p" kind="refused" id={`${id}-refused`} role="alert">Wrong token.</Marked>
      )}
    </form>
  );
}
