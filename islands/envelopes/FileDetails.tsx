import { useState } from "react";
import { ScrollingTable } from "../../components/DataTable.tsx";
import { formatBytes, formatCount } from "../../components/format.ts";
import { Timestamp } from "../../components/Timestamp.tsx";
import { isArchiveHeader } from "../../monitoring/protocol/inbox_archive.ts";
import { ProblemBox } from "./ProblemBox.tsx";
import { type InspectedItem, inspectEnvelope, type Inspection } from "./inspect_envelope.ts";
import { Inspector, useShowMore } from "./Inspector.tsx";
import { openBytes, openFile } from "./open_file.ts";
import { DetailView } from "../kit/DetailView.tsx";
import { useLoaded } from "../shared/use_loaded.ts";

/** Rows shown at once; an export may contain 50,000. */
const ROWS_AT_ONCE = 200;

/**
 * A saved envelope or an exported inbox. The file stays in the browser.
 *
 * @param props.back link to the list
 */
export function FileDetails({ file, back, onLeave }: {
  file: File;
  back: string;
  onLeave: () => void;
}) {
  const { state, value, error = "" } = useLoaded(async () => {
    const { bytes, encoding } = await openFile(file);
    return { encoding, inspection: inspectEnvelope(bytes) };
  }, [file]);
  const read = state === "ready" ? value : undefined;
  return (
    <DetailView
      className="details"
      back={{ text: "All envelopes", href: back }}
      title={file.name}
      takesFocus
      onLeave={onLeave}
    >
      <p>
        {formatBytes(file.size)}
        {read?.encoding && `, ${read.encoding}`}. Read in this browser only, not uploaded.
      </p>
      {state === "loading" && <p className="empty">Loading the file.</p>}
      {state === "failed" && <ProblemBox title="The file cannot be read." what={error} />}
      {read && (
        isArchiveHeader(read.inspection.attributes)
          ? <ArchiveList archive={read.inspection} />
          : <Inspector inspection={read.inspection} />
      )}
    </DetailView>
  );
}

/** The envelopes of an exported inbox. The user can open one. */
function ArchiveList({ archive }: { archive: Inspection }) {
  const envelopes = archive.items.filter(({ type }) => type === "envelope");
  const { shown, button } = useShowMore(envelopes, ROWS_AT_ONCE, "envelope");
  const [opened, setOpened] = useState<
    { readonly number: number; readonly result: Inspection | Error }
  >();
  const [lastOpened, setLastOpened] = useState<number>();

  const open = async (item: InspectedItem, number: number) => {
    setLastOpened(number);
    try {
      const { bytes } = await openBytes(item.payload, encodingOf(item));
      setOpened({ number, result: inspectEnvelope(bytes) });
    } catch (error) {
      setOpened({ number, result: error instanceof Error ? error : new Error(String(error)) });
    }
  };

  if (opened) {
    return (
      <>
        <p className="way">
          <button type="button" autoFocus onClick={() => setOpened(undefined)}>
            Back to the export
          </button>{" "}
          Envelope {opened.number} of {envelopes.length}
        </p>
        {opened.result instanceof Error
          ? <ProblemBox title="The envelope cannot be read." what={opened.result.message} />
          : <Inspector inspection={opened.result} />}
      </>
    );
  }
  return (
    <>
      <p>Exported inbox: {formatCount(envelopes.length, "envelope")}.</p>
      {archive.problem && (
        <ProblemBox
          title="The export is incomplete."
          what={archive.problem.what}
          right={archive.problem.right}
        />
      )}
      <ScrollingTable
        className="archive"
        caption="Envelopes in the file, oldest first"
        columns={[
          { title: "Received" },
          { title: "Envelope" },
          { title: "Size", numeric: true },
          { title: "Encoding" },
        ]}
        empty={envelopes.length === 0 && "No envelopes in the file."}
      >
        {shown.map((item, n) => (
          <tr key={item.offset}>
            <td className="at">
              <Timestamp at={Number(item.attributes.received_at)} />
            </td>
            <td className="items">
              <button
                type="button"
                className="plain"
                autoFocus={lastOpened === n + 1}
                onClick={() => open(item, n + 1)}
              >
                Inspect envelope {n + 1}
              </button>
            </td>
            <td className="n size">{formatBytes(item.payload.byteLength)}</td>
            <td className="encoding">{encodingOf(item) ?? "–"}</td>
          </tr>
        ))}
      </ScrollingTable>
      {button}
    </>
  );
}

function encodingOf({ attributes }: InspectedItem): string | null {
  const { content_encoding } = attributes;
  return typeof content_encoding === "string" ? content_encoding.slice(0, 16) : null;
}
