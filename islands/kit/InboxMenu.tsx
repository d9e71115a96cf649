import { type ReactNode, useState } from "react";
import { formatCount, messageOf } from "../../components/format.ts";
import { Marked, OutcomeMark } from "../../components/OutcomeMark.tsx";
import type { ImportResult } from "../../monitoring/protocol/inbox_archive.ts";
import { FileButton, saveFile } from "./FileButton.tsx";
import { Menu } from "./Menu.tsx";
import { ConfirmedButton } from "./ConfirmedButton.tsx";
import { resumeLists } from "../data/queries.ts";
import { inbox } from "../data/inbox.ts";
import { useInboxState } from "../data/inbox_state.ts";

/**
 * What concerns all envelopes, behind a button: export, import, delete.
 *
 * @param props.children the view's own buttons
 */
export function InboxMenu({ children }: { children?: ReactNode }) {
  const { total, canStore } = useInboxState();
  /** Of an action, shown below the toolbar. */
  const [result, setResult] = useState({ text: "", failed: false });

  const deleteAll = async () => {
    try {
      await inbox.change("DELETE");
      resumeLists();
      setResult({ text: "", failed: false });
    } catch (error) {
      setResult({ text: `Not deleted: ${messageOf(error)}`, failed: true });
    }
  };
  const importFile = async (archive: File) => {
    setResult({ text: `Importing ${archive.name}.`, failed: false });
    try {
      const result = await inbox.importArchive(archive);
      const failed = result.refused > 0 || result.broken !== undefined;
      setResult({ text: describeImport(result), failed });
    } catch (error) {
      setResult({ text: `Not imported: ${messageOf(error)}`, failed: true });
    }
  };

  return (
    <>
      <Menu label="More" look="brief" name="All envelopes">
        {(close) => (
          <>
            {children}
            <button
              type="button"
              disabled={total === 0}
              onClick={() => {
                saveFile(`${inbox.path}?export`);
                close();
              }}
            >
              Export
            </button>
            <FileButton
              name="File to import"
              open={(archive) => {
                close();
                void importFile(archive);
              }}
            >
              Import
            </FileButton>
            <ConfirmedButton
              label="Delete all"
              action="Delete all"
              question={`Delete ${formatCount(total, "envelope")} permanently?`}
              disabled={total === 0}
              act={() => void deleteAll()}
              close={close}
            />
          </>
        )}
      </Menu>
      {!canStore && (
        <Marked as="p" kind="refused" role="alert">
          The inbox cannot store envelopes: its disk or database is full or fails. Free space or
          choose “Delete all” under “More”.
        </Marked>
      )}
      <p role="status" className={result.failed ? "result refused" : "result"}>
        {result.failed && <OutcomeMark kind="refused" />}
        {result.text}
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
