import { type ToggleEvent, useId, useRef, useState } from "react";
import { formatCount } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import type { ImportResult } from "../../monitoring/protocol/inbox_archive.ts";
import { FileButton, saveFile } from "./FileButton.tsx";
import type { ConsoleSource } from "./source/source.ts";
import { resumeLists, useSourceState } from "./use_source.ts";

/** Result of an action, shown below the toolbar. */
interface Result {
  readonly text: string;
  readonly failed?: boolean;
}

/**
 * What concerns all envelopes, behind a button: export, import, delete. A popover: the browser closes it by Escape or a
 * click elsewhere, returns the focus to the button, and reports to screen readers whether it is open.
 */
export function InboxMenu({ source }: { source: ConsoleSource }) {
  const { total, canStore } = useSourceState(source);
  const [result, setResult] = useState<Result>();
  const [isConfirming, setConfirming] = useState(false);
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const close = () => menu.current?.hidePopover();
  const { importArchive } = source;

  const deleteAll = async () => {
    close();
    try {
      await source.clear();
      resumeLists();
      setResult(undefined);
    } catch (error) {
      setResult({ text: `Not deleted: ${messageOf(error)}`, failed: true });
    }
  };

  return (
    <>
      <button type="button" ref={button} popoverTarget={id}>More</button>
      <div
        id={id}
        ref={menu}
        popover="auto"
        role="group"
        aria-label="All envelopes"
        className="menu"
        onBeforeToggle={(event) => placeBelow(event, button.current)}
        onToggle={({ newState }) => newState === "closed" && setConfirming(false)}
      >
        <button
          type="button"
          disabled={total === 0}
          onClick={() => {
            saveFile(source.exported());
            close();
          }}
        >
          Export
        </button>
        {importArchive && (
          <FileButton
            name="File to import"
            open={(archive) => {
              close();
              void importFile(archive, importArchive, setResult);
            }}
          >
            Import
          </FileButton>
        )}
        {isConfirming
          ? (
            <div className="ask" role="group" aria-label="Delete all?">
              <p>Delete {formatCount(total, "envelope")} permanently?</p>
              <button type="button" className="danger" onClick={() => void deleteAll()}>
                Delete all
              </button>
              <button type="button" autoFocus onClick={close}>Cancel</button>
            </div>
          )
          : (
            <button
              type="button"
              className="danger"
              disabled={total === 0}
              onClick={() => setConfirming(true)}
            >
              Delete all
            </button>
          )}
      </div>
      {!canStore && (
        <p role="alert" className="refused">
          <OutcomeMark kind="refused" />
          The inbox cannot store envelopes: the disk is full or not writable. Free disk space or
          choose “Delete all” under “More”.
        </p>
      )}
      <p role="status" className={result?.failed ? "result refused" : "result"}>
        {result?.failed && <OutcomeMark kind="refused" />}
        {result?.text}
      </p>
    </>
  );
}

/** Popovers are not placed beside their button by themselves. */
function placeBelow(
  { newState, currentTarget }: ToggleEvent<HTMLElement>,
  button: HTMLElement | null,
): void {
  if (newState !== "open" || button === null) return;
  const { bottom, right } = button.getBoundingClientRect();
  currentTarget.style.top = `${bottom + scrollY}px`;
  currentTarget.style.right = `${document.documentElement.clientWidth - right}px`;
}

async function importFile(
  archive: File,
  importArchive: (archive: Blob) => Promise<ImportResult>,
  show: (result: Result) => void,
): Promise<void> {
  show({ text: `Importing ${archive.name}.` });
  try {
    const result = await importArchive(archive);
    const failed = result.refused > 0 || result.broken !== undefined;
    show({ text: describeImport(result), failed });
  } catch (error) {
    show({ text: `Not imported: ${messageOf(error)}`, failed: true });
  }
}

function describeImport({ taken, present, refused, reasons, broken }: ImportResult): string {
  const counts = [
    `${formatCount(taken, "envelope")} imported`,
    ...(present > 0 ? [`${present} already in the inbox`] : []),
    ...(refused > 0 ? [`${refused} refused`] : []),
  ].join(", ");
  const [first] = reasons;
  const reason = first === undefined ? "" : ` Envelope ${first.envelope}: ${first.reason}`;
  return `${counts}.${reason}${broken === undefined ? "" : ` ${broken}`}`;
}

const messageOf = (error: unknown) => error instanceof Error ? error.message : String(error);
