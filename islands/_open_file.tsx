import { useEffect, useRef, useState } from "react";
import { useShown } from "./_shown.ts";

/** Chooses a saved envelope to be looked into: by a button, or dropped anywhere on the page. It is sent nowhere. */
export function OpenFile({ open, autoFocus }: {
  open: (file: File) => void;
  autoFocus: boolean;
}) {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" autoFocus={autoFocus} onClick={() => chooser.current?.click()}>
        Inspect a file
      </button>
      <input
        ref={chooser}
        type="file"
        hidden
        aria-label="File to inspect"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) open(file);
          // Chosen once more, it is read once more.
          target.value = "";
        }}
      />
    </>
  );
}

/** Takes files that are dropped on the page while the view is shown; says whether one is held over it. */
export function useDroppedFile(open: (file: File) => void): boolean {
  const shown = useShown("envelopes");
  const [over, setOver] = useState(false);
  useEffect(() => {
    if (!shown) return;
    const hasFiles = ({ dataTransfer }: DragEvent) =>
      dataTransfer?.types.includes("Files") ?? false;
    const onDragOver = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      // Else the browser would leave the page for the file.
      event.preventDefault();
      setOver(true);
    };
    const onDragLeave = ({ relatedTarget }: DragEvent) => relatedTarget === null && setOver(false);
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      const [file] = event.dataTransfer?.files ?? [];
      if (file) open(file);
    };
    addEventListener("dragover", onDragOver);
    addEventListener("dragleave", onDragLeave);
    addEventListener("drop", onDrop);
    return () => {
      removeEventListener("dragover", onDragOver);
      removeEventListener("dragleave", onDragLeave);
      removeEventListener("drop", onDrop);
    };
  }, [shown, open]);
  return over;
}
