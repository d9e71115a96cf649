import { useEffect, useState } from "react";
import { shortId } from "../components/format/short_id.ts";

/** Milliseconds that the word stands before the id is back. */
const SAID_MS = 1500;

/** An id cut short, as a button that copies all of it. */
export function CopyId({ id, what }: { id: string; what: string }) {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(setSaid, SAID_MS, "");
    return () => clearTimeout(timer);
  }, [said]);

  // Not there on plain http, and a person may forbid it.
  const copy = () =>
    Promise.resolve(navigator.clipboard?.writeText(id) ?? Promise.reject())
      .then(() => setSaid("copied"), () => setSaid("not copied"));

  return (
    <button type="button" className="plain id" title={id} onClick={copy}>
      <span className="vh">Copy {what}</span>
      <code>{shortId(id)}</code>
      <span role="status">{said}</span>
    </button>
  );
}
