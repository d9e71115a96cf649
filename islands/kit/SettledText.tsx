import { useEffect, useState } from "react";

/** Milliseconds without a change after which the text is announced: once after a burst, not for each change. */
const QUIET_MS = 1500;

/** A text for screen readers only, announced after it has stopped changing. */
export function SettledText({ text }: { text: string }) {
  const [announced, setAnnounced] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setAnnounced(text), QUIET_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return <p className="vh" role="status">{announced}</p>;
}
