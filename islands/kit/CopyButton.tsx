import { type ReactNode, useEffect, useState } from "react";
import { shortId } from "../../components/format.ts";

/** Milliseconds that the result is shown. */
const RESULT_MS = 1500;

/**
 * A button that copies a text to the clipboard, and shows whether that worked.
 *
 * @param props.text called when the button is pressed
 * @param props.look `plain`: a small button
 */
export function CopyButton({ text, look, title, className, children }: {
  text: () => string;
  look?: "plain" | "primary" | "bare";
  title?: string;
  className?: string;
  children: ReactNode;
}) {
  const [result, setResult] = useState("");
  useEffect(() => {
    if (result === "") return;
    const timer = setTimeout(setResult, RESULT_MS, "");
    return () => clearTimeout(timer);
  }, [result]);

  const copy = async () => {
    try {
      // Not available on plain http; the user may also forbid it.
      await navigator.clipboard.writeText(text());
      setResult("copied");
    } catch {
      setResult("not copied: the browser does not allow it");
    }
  };
  return (
    <span className={className}>
      <button
        type="button"
        className={look}
        title={title}
        onClick={copy}
      >
        {children}
      </button>{" "}
      <span role="status">{result}</span>
    </span>
  );
}

/**
 * A {@linkcode CopyButton} labelled with the shortened id that it copies.
 *
 * @param props.what accessible name of the id: "trace id"
 */
export function CopyId({ id, what }: { id: string; what: string }) {
  return (
    <CopyButton text={() => id} look="bare" title={id} className="id">
      <span className="vh">Copy {what}</span>
      <code>{shortId(id)}</code>
    </CopyButton>
  );
}
