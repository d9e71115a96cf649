import { useRef } from "react";
import { envelopeColumns, EnvelopeRow } from "./EnvelopeRow.tsx";
import { receiptOf } from "./receipt_of.ts";
import { Ledger } from "../../components/Ledger.tsx";
import type { ConsoleSource } from "../shared/source/source.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import { FileButton } from "../shared/file_button.tsx";
import { FeedBar } from "../shared/feed_bar.tsx";
import { changeParams, fragmentTo, useFragment } from "../shared/fragment.ts";
import { ListNotice } from "../shared/list_notice.tsx";
import { Older } from "../shared/older.tsx";
import { useReturnToRow } from "../shared/return_to_row.ts";
import { useRowKeys } from "../shared/row_keys.ts";
import { type ConsoleList, useList, useSourceState } from "../shared/source.ts";
import { useTelemetry } from "../shared/telemetry.ts";

/** What envelopes of Sentry's SDKs hold (https://develop.sentry.dev/sdk/data-model/envelope-items/). */
const KNOWN_TYPES = [
  "attachment",
  "check_in",
  "client_report",
  "event",
  "feedback",
  "log",
  "profile",
  "profile_chunk",
  "raw_security",
  "replay_event",
  "replay_recording",
  "session",
  "sessions",
  "span",
  "trace_metric",
  "transaction",
];

/** The envelopes that the address asks for. */
export function useEnvelopes(source: ConsoleSource | undefined): ConsoleList<InboxRow> {
  const { params } = useFragment("envelopes");
  const asked = (name: string) => params.get(name) ?? undefined;
  return useList(source, "envelopes", {
    q: asked("q"),
    type: asked("type"),
    trace: asked("trace"),
  });
}

/** What a person comes back from to the list: an envelope, by its id, or a file. */
export type CameFrom = number | "file";

/**
 * The raw feed, newest first.
 *
 * @param props.cameFrom where the focus goes on: to the envelope's row, or to the button that opens a file
 */
export function EnvelopeList({ source, list, cameFrom, inspect }: {
  source: ConsoleSource | undefined;
  list: ConsoleList<InboxRow>;
  cameFrom: CameFrom | undefined;
  inspect: (file: File) => void;
}) {
  const { params } = useFragment("envelopes");
  const { receipts } = useTelemetry();
  const { rows, more } = list;
  const { state } = useSourceState(source);
  const frame = useRef<HTMLDivElement>(null);
  const { stop, events } = useRowKeys(rows.map(({ id }) => String(id)), cameFrom?.toString());

  const from = typeof cameFrom === "number" ? String(cameFrom) : undefined;
  useReturnToRow("envelopes", frame, from, rows.length > 0);

  const query = Object.fromEntries(params);
  const openFile = (
    <FileButton name="File to inspect" open={inspect} autoFocus={cameFrom === "file"}>
      Inspect a file
    </FileButton>
  );
  return (
    <>
      <FeedBar source={source} what="envelopes">
        <TypeFilter
          type={params.get("type") ?? ""}
          choose={(type) => changeParams({ type })}
        />
        {openFile}
      </FeedBar>
      {/* A file is no part of the inbox: who may not read that may look into it. */}
      {state === "forbidden" && <div className="bar">{openFile}</div>}
      <ListNotice source={source} list={list} what="envelopes">
        <p>
          No envelopes yet. <a href="#/">Make a signal</a>{" "}
          on the overview, and what it sends stands here a moment later. Or drop a saved envelope on
          this page to look into it.
        </p>
      </ListNotice>
      {rows.length > 0 && (
        <div ref={frame} {...events}>
          <Ledger
            name="feed-rows"
            caption="Envelopes, newest first"
            columns={envelopeColumns(source?.scope === "visit" ? "Made" : "Received")}
          >
            {rows.map((row) => (
              <EnvelopeRow
                key={row.id}
                row={row}
                href={fragmentTo("envelopes", [String(row.id)], query)}
                outcome={outcomeOf(row)}
                isStop={String(row.id) === stop}
              />
            ))}
          </Ledger>
          <Older what="envelopes" more={more} />
        </div>
      )}
    </>
  );

  function outcomeOf(row: InboxRow): string | undefined {
    const receipt = receiptOf(row, receipts);
    // What is in the inbox was stored, whoever sent it.
    return receipt?.outcome ?? (source?.scope === "inbox" ? "stored" : undefined);
  }
}

function TypeFilter({ type, choose }: { type: string; choose: (type: string) => void }) {
  // A link may ask for a type that nobody knows yet.
  const types = type === "" || KNOWN_TYPES.includes(type) ? KNOWN_TYPES : [...KNOWN_TYPES, type];
  return (
    <label className="filter">
      Holding{" "}
      <select value={type} onChange={({ target: { value } }) => choose(value)}>
        <option value="">anything</option>
        {types.map((type) => <option key={type} value={type}>{type}</option>)}
      </select>
    </label>
  );
}
