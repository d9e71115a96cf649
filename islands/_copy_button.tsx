import { useEffect, useState } from "react";

/** Milliseconds that the word stands before the button's own is back. */
const SAID_MS = 1500;

/** Puts a text into the clipboard, and says whether that went well. */
export function CopyButton({ text, children }: { text: () => string; children: string }) {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(setSaid, SAID_MS, "");
    return () => clearTimeout(timer);
  }, [said]);

  // Not there on plain http, and a person may forbid it.
  const copy = () =>
    Promise.resolve(navigator.clipboard?.writeText(text()) ?? Promise.reject())
      .then(() => setSaid("copied"), () => setSaid("not copied: the browser forbids it"));

  return (
    <span>
      <button type="button" onClick={copy}>{children}</button> <span role="status">{said}</span>
    </span>
  );
}
