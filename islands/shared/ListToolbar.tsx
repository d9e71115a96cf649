import { type ReactNode, useState } from "react";
import { formatCount } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import type { ImportResult } from "../../monitoring/protocol/inbox_archive.ts";
import { FileButton, saveFile } from "./FileButton.tsx";
import { SearchField } from "./SearchField.tsx";
import { SourceFilter } from "./SourceFilter.tsx";
import { TimeFilter } from "./TimeFilter.tsx";
import type { ConsoleSource, SourceState } from "./source/source.ts";
import { pauseLists, resumeLists, usePausedState, useSourceState } from "./use_source.ts";

/**
 * The toolbar above each list: search, the view's filters, status, pause, export, import, delete.
 *
 * @param props.what the list's rows, for the search's accessible name: "envelopes"
 * @param props.children the view's own filters
 */
export function ListToolbar({ source, what, children }: {
  source: ConsoleSource | undefined;
  what: string;
  children?: ReactNode;
}) {
  const { state, total } = useSourceState(source);
  // Without access there is nothing to search, export or delete.
  if (state === "forbidden") return null;
  return (
    <div className="bar feed">
      <SearchField what={what} disabled={!source} />
      <SourceFilter source={source} />
      <TimeFilter />
      {children}
      <div className="actions">
        <LiveStatus source={source} />
        <button
          type="button"
          disabled={!source || total === 0}
          onClick={() => source && saveFile(source.exported())}
        >
          Export
        </button>
        {source?.importArchive && <ImportButton importArchive={source.importArchive} />}
        {source && <DeleteAll source={source} />}
      </div>
    </div>
  );
}

/**
 * Whether the lists are live, how many envelopes there are, and the button that pauses all lists.
 *
 * @param props.takesFocus focuses the button when it appears: the element that had the focus was removed
 */
export function LiveStatus({ source, takesFocus = false }: {
  source: ConsoleSource | undefined;
  takesFocus?: boolean;
}) {
  const now = useSourceState(source);
  const paused = usePausedState();
  return (
    <>
      <p>{paused ? describePause(now, paused) : describeState(now, source)}</p>
      <button
        type="button"
        disabled={!source}
        autoFocus={takesFocus}
        onClick={() => paused ? resumeLists() : pauseLists(now)}
      >
        {paused ? "Resume" : "Pause"}
      </button>
    </>
  );
}

function describePause(now: SourceState, paused: SourceState): string {
  return `Paused; ${formatCount(Math.max(0, now.total - paused.total), "new envelope")}.`;
}

function describeState({ state, total }: SourceState, source: ConsoleSource | undefined): string {
  const envelopes = formatCount(total, "envelope");
  switch (state) {
    case "live":
      return source?.scope === "visit" ? `${envelopes} of this visit.` : `Live: ${envelopes}.`;
    case "offline":
      return "Offline: the inbox does not respond. Retrying.";
    default:
      return "Connecting.";
  }
}

/** Deletes all envelopes, after a confirmation. Shows a warning while the inbox cannot store envelopes. */
export function DeleteAll({ source }: { source: ConsoleSource }) {
  const { total, canStore } = useSourceState(source);
  const [step, setStep] = useState<"initial" | "confirming" | "deleting" | "done">("initial");
  const [error, setError] = useState("");

  const deleteAll = async () => {
    setStep("deleting");
    setError("");
    try {
      await source.clear();
      resumeLists();
    } catch (error) {
      setError(error instanceof Error ? error.message : String(error));
    }
    setStep("done");
  };

  if (step === "confirming" || step === "deleting") {
    return (
      <Confirmation
        action="Delete all"
        question={`Delete ${formatCount(total, "envelope")} permanently?`}
        isBusy={step === "deleting"}
        confirm={deleteAll}
        cancel={() => setStep("done")}
      />
    );
  }
  return (
    <>
      {!canStore && (
        <span role="alert" className="refused">
          <OutcomeMark kind="refused" />
          The inbox cannot store envelopes: the disk is full or not writable. Free disk space or
          press “Delete all”.
        </span>
      )}
      {error && (
        <span role="alert" className="refused">
          <OutcomeMark kind="refused" />
          Not deleted: {error}
        </span>
      )}
      {/* `aria-disabled` instead of `disabled`: the button must be able to take the focus back. */}
      <button
        type="button"
        autoFocus={step === "done"}
        aria-disabled={total === 0}
        onClick={() => total > 0 && setStep("confirming")}
      >
        Delete all
      </button>
    </>
  );
}

/** Asks before something that cannot be undone. Takes the focus, on the harmless button. */
export function Confirmation({ action, question, isBusy, confirm, cancel }: {
  /** Label of the button that confirms. */
  action: string;
  question: string;
  isBusy: boolean;
  confirm: () => void;
  cancel: () => void;
}) {
  return (
    <div className="ask" role="group" aria-label={`${action}?`}>
      <span>{question}</span>
      <button type="button" className="danger" disabled={isBusy} onClick={confirm}>{action}</button>
      <button type="button" autoFocus disabled={isBusy} onClick={cancel}>Cancel</button>
    </div>
  );
}

/** Imports an exported file, and shows the result. */
function ImportButton({ importArchive }: {
  importArchive: (archive: Blob) => Promise<ImportResult>;
}) {
  const [status, setStatus] = useState<{ text: string; failed?: boolean }>();

  const read = async (archive: File) => {
    setStatus({ text: `Importing ${archive.name}.` });
    try {
      const result = await importArchive(archive);
      const failed = result.refused > 0 || result.broken !== undefined;
      setStatus({ text: describeImport(result), failed });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      setStatus({ text: `Not imported: ${reason}`, failed: true });
    }
  };

  return (
    <>
      <FileButton name="File to import" open={(archive) => void read(archive)}>Import</FileButton>
      <p role="status" className={status?.failed ? "import refused" : "import"}>
        {status?.failed && <OutcomeMark kind="refused" />}
        {status?.text}
      </p>
    </>
  );
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
