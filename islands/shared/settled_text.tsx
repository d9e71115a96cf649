import { useEffect, useState } from "react";

/** Milliseconds without a change until a text is read out: one sentence for a burst, not thirty. */
const QUIET_MS = 1500;

/** A text for screen readers alone, announced once it has stopped changing. */
export function SettledText({ text }: { text: string }) {
  const [said, setSaid] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSaid(text), QUIET_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return <p className="vh" role="status">{said}</p>;
}
