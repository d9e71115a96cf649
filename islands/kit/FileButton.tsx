import { type ReactNode, useRef } from "react";

/** Milliseconds until the memory of a `blob:` address is released. The browser has started reading it by then. */
const REVOKE_MS = 60_000;

/** A button that opens the browser's file dialog. @param props.name accessible name of the file input */
export function FileButton({ name, open, children }: {
  name: string;
  open: (file: File) => void;
  children: ReactNode;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" onClick={() => input.current?.click()}>
        {children}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={name}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) open(file);
          // Else choosing the same file again would not be a change.
          target.value = "";
        }}
      />
    </>
  );
}

/**
 * Saves the content of an address as a file.
 *
 * @param href an address of this origin, or a `blob:` address, which is revoked later
 * @param name the file's name; default: the server's suggestion
 */
export function saveFile(href: string, name = ""): void {
  const link = document.createElement("a");
  link.href = href;
  link.download = name;
  link.click();
  if (href.startsWith("blob:")) setTimeout(() => URL.revokeObjectURL(href), REVOKE_MS);
}
