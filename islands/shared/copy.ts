import { useEffect, useState } from "react";

/** Milliseconds that the word stands. */
const SAID_MS = 1500;

/** Puts texts into the clipboard; `said` is how that went, for a moment, and empty otherwise. */
export function useCopy(): { readonly said: string; copy(text: string): void } {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(setSaid, SAID_MS, "");
    return () => clearTimeout(timer);
  }, [said]);
  return {
    said,
    // Not there on plain http, and a person may forbid it.
    copy: (text) =>
      void Promise.resolve(navigator.clipboard?.writeText(text) ?? Promise.reject())
        .then(() => setSaid("copied"), () => setSaid("not copied: the browser forbids it")),
  };
}
