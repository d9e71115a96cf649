import { useState } from "react";
import { Trouble } from "./Trouble.tsx";
import { formatBytes } from "../../components/format/bytes.ts";
import { formatCount } from "../../components/format/count.ts";
import { Ledger } from "../../components/Ledger.tsx";
import { Time } from "../../components/Time.tsx";
import {
  type InspectedItem,
  inspectEnvelope,
  type Inspection,
} from "./inspect/inspect_envelope.ts";
import { openBytes } from "./inspect/open_file.ts";
import { useShowMore } from "../shared/show_more.tsx";
import { Inspector } from "./inspector.tsx";

/** Rows drawn at once; an export may have 50,000. */
const ROWS_AT_ONCE = 200;
const columns = [
  { title: "Received" },
  { title: "Envelope" },
  { title: "Size", numeric: true },
  { title: "Encoding" },
];

/** An inbox that was exported: its envelopes, each to be inspected. */
export function ArchiveList({ archive }: { archive: Inspection }) {
  const envelopes = archive.items.filter(({ type }) => type === "envelope");
  const { shown, button } = useShowMore(envelopes, ROWS_AT_ONCE, "envelope");
  const [opened, setOpened] = useState<
    { readonly number: number; readonly of: Inspection | Error }
  >();
  const [last, setLast] = useState<number>();

  const open = async (item: InspectedItem, number: number) => {
    setLast(number);
    try {
      const { bytes } = await openBytes(item.payload, encodingOf(item));
      setOpened({ number, of: inspectEnvelope(bytes) });
    } catch (error) {
      setOpened({ number, of: error instanceof Error ? error : new Error(String(error)) });
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
        {opened.of instanceof Error
          ? <Trouble title="This envelope cannot be read." what={opened.of.message} />
          : <Inspector inspection={opened.of} />}
      </>
    );
  }
  return (
    <>
      <p>An export of an inbox: {formatCount(envelopes.length, "envelope")}.</p>
      {archive.problem && (
        <Trouble
          title="The export is not whole."
          what={archive.problem.what}
          right={archive.problem.right}
        />
      )}
      <Ledger
        name="archive"
        caption="Envelopes in the file, oldest first"
        columns={columns}
        empty={envelopes.length === 0 && "There is no envelope in it."}
      >
        {shown.map((item, n) => (
          <tr key={item.offset}>
            <td className="at">
              <Time at={Number(item.attributes.received_at)} />
            </td>
            <td className="items">
              <button
                type="button"
                className="plain"
                autoFocus={last === n + 1}
                onClick={() => open(item, n + 1)}
              >
                Inspect envelope {n + 1}
              </button>
            </td>
            <td className="n size">{formatBytes(item.payload.byteLength)}</td>
            <td className="encoding">{encodingOf(item) ?? "–"}</td>
          </tr>
        ))}
      </Ledger>
      {button}
    </>
  );
}

function encodingOf({ attributes }: InspectedItem): string | null {
  const { content_encoding } = attributes;
  return typeof content_encoding === "string" ? content_encoding.slice(0, 16) : null;
}
