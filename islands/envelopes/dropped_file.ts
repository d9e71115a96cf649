import { useEffect, useState } from "react";
import { useShown } from "../shared/shown.ts";

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
