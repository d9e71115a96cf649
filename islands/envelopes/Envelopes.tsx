import "../shared/view_code.ts";
import { useEffect, useRef, useState } from "react";
import { Split } from "../kit/Split.tsx";
import { fragmentTo, useFragment, useIsVisible } from "../shared/fragment.ts";
import { EnvelopeDetails, FileDetails } from "./EnvelopeDetails.tsx";
import { EnvelopeList, useEnvelopes } from "./EnvelopeList.tsx";

/**
 * The envelopes view: the list (`#/envelopes`), one envelope (`#/envelopes/ID`), or a file that the user opened.
 */
export default function EnvelopesView() {
  const { path: [idText], params } = useFragment("envelopes");
  // Also while a detail is open, so that the list is unchanged when the user returns.
  const list = useEnvelopes();
  const [file, setFile] = useState<File>();
  const isDraggedOver = useDroppedFile(setFile);
  const focused = useRef<Element>(null);
  useEffect(() => {
    // A link was followed: it closes the file.
    setFile(undefined);
  }, [idText]);
  useEffect(() => {
    if (file) focused.current = document.activeElement;
    else if (focused.current instanceof HTMLElement) focused.current.focus();
  }, [file]);

  const id = Number(idText);
  const back = fragmentTo("envelopes", [], Object.fromEntries(params));
  const row = list.rows.find((row) => row.id === id);
  return (
    <div className={isDraggedOver ? "feed-view over" : "feed-view"}>
      <Split
        list={<EnvelopeList list={list} openKey={file ? undefined : idText} openFile={setFile} />}
        detail={file
          ? (
            <FileDetails
              key={file.name}
              file={file}
              back={back}
              onLeave={() => setFile(undefined)}
            />
          )
          : idText && <EnvelopeDetails key={id} id={id} row={row} back={back} />}
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
    const hidden = new AbortController();
    const onDrag = (event: DragEvent) => {
      const { type, dataTransfer, relatedTarget } = event;
      if (!dataTransfer?.types.includes("Files")) return;
      // Without this the browser would navigate to the file.
      event.preventDefault();
      setIsDraggedOver(type === "dragover" || type === "dragleave" && relatedTarget !== null);
      const [file] = dataTransfer.files;
      if (type === "drop" && file) open(file);
    };
    for (const type of ["dragover", "dragleave", "drop"] as const) {
      addEventListener(type, onDrag, { signal: hidden.signal });
    }
    return () => hidden.abort();
  }, [isVisible]);
  return isDraggedOver;
}
