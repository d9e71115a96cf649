import "../shared/view_code.ts";
import { useCallback, useEffect, useRef, useState } from "react";
import { fragmentTo, useFragment, useIsVisible } from "../shared/fragment.ts";
import { EnvelopeDetails } from "./EnvelopeDetails.tsx";
import { Split } from "../kit/Split.tsx";
import { EnvelopeList, useEnvelopes } from "./EnvelopeList.tsx";
import { FileDetails } from "./FileDetails.tsx";

/**
 * The envelopes view: the list (`#/envelopes`), one envelope (`#/envelopes/ID`), or a file that the user opened.
 */
export default function EnvelopesView() {
  const { path: [idText], params } = useFragment("envelopes");
  // Also while a detail is open, so that the list is unchanged when the user returns.
  const list = useEnvelopes();
  const [file, setFile] = useState<File>();
  const openFile = useCallback((file: File) => setFile(file), []);
  const isDraggedOver = useDroppedFile(openFile);
  const focused = useRef<Element>(null);

  const id = idText === undefined ? undefined : Number(idText);
  useEffect(() => {
    // A link was followed: it closes the file.
    setFile(undefined);
  }, [id]);
  useEffect(() => {
    if (file) focused.current = document.activeElement;
    else if (focused.current instanceof HTMLElement) focused.current.focus();
  }, [file]);

  const back = fragmentTo("envelopes", [], Object.fromEntries(params));
  const detail = file
    ? <FileDetails key={file.name} file={file} back={back} onLeave={() => setFile(undefined)} />
    : id !== undefined && (
      <EnvelopeDetails
        key={id}
        id={id}
        row={list.rows.find((row) => row.id === id)}
        back={back}
      />
    );
  return (
    <div className={isDraggedOver ? "feed-view over" : "feed-view"}>
      <Split
        list={<EnvelopeList list={list} openKey={file ? undefined : idText} openFile={openFile} />}
        detail={detail || undefined}
        // Reading a file needs no access to the inbox.
        isOpenToAll={file !== undefined}
      />
    </div>
  );
}

/**
 * Opens files that are dropped on the page while the view is visible.
 *
 * @returns whether a file is dragged over the page
 */
function useDroppedFile(open: (file: File) => void): boolean {
  const isVisible = useIsVisible("envelopes");
  const [isDraggedOver, setIsDraggedOver] = useState(false);
  useEffect(() => {
    if (!isVisible) return;
    const hasFiles = ({ dataTransfer }: DragEvent) =>
      dataTransfer?.types.includes("Files") ?? false;
    const onDragOver = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      // Without this the browser would navigate to the file.
      event.preventDefault();
      setIsDraggedOver(true);
    };
    const onDragLeave = ({ relatedTarget }: DragEvent) =>
      relatedTarget === null && setIsDraggedOver(false);
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setIsDraggedOver(false);
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
  }, [isVisible, open]);
  return isDraggedOver;
}
