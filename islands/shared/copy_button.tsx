import { useCopy } from "./copy.ts";

/** Puts a text into the clipboard, and says whether that went well. */
export function CopyButton({ text, children }: { text: () => string; children: string }) {
  const { said, copy } = useCopy();
  return (
    <span>
      <button type="button" onClick={() => copy(text())}>{children}</button>{" "}
      <span role="status">{said}</span>
    </span>
  );
}
