import "../view_code.ts";
import { formatCount } from "../../components/format.ts";
import { formatClock } from "../../components/format_time.ts";
import { Marked } from "../../components/OutcomeMark.tsx";
import {
  addressPath,
  type EventKind,
  SLACK_MS,
  timeLineEnd,
} from "../../monitoring/models/recording/timeline.ts";
import type { RecordingRow } from "../../monitoring/models/recording/recording_row.ts";
import { shortRelease } from "../kit/application_labels.ts";
import { useSortedList } from "../kit/sort.ts";
import { RowValues } from "../kit/ValueLinks.tsx";
import { RowList } from "../kit/RowList.tsx";
import { type Column, timeColumn } from "../kit/Table.tsx";
import { type ReactNode, useEffect, useRef } from "react";
import { read } from "../data/read.ts";
import { useRead } from "../data/use_read.ts";
import { canHaveStill, RecordingStill, useTurn } from "../player/RecordingStill.tsx";
import { marksOf, percent } from "./TimeLine.tsx";
import { RecordingView } from "./RecordingView.tsx";
import { Split } from "../kit/Split.tsx";
import { useFragment } from "../data/fragment.ts";

const REPLAY_ID = /^[\da-f]{32}$/;

/**
 * The view of session recordings: the list (`#/recordings`), or one of them (`#/recordings/ID`), at a moment
 * (`?at=TIME`, milliseconds since 1970).
 */
export default function ListOrRecording() {
  // While another view is open, the last recording stays as it is.
  const { path: [id = ""] } = useFragment();
  const replayId = REPLAY_ID.test(id) ? id : undefined;
  return (
    <Split
      look="covers"
      list={<RecordingList openKey={replayId} />}
      detail={replayId && <RecordingView key={replayId} replayId={replayId} />}
    />
  );
}

function RecordingList({ openKey }: { openKey: string | undefined }) {
  const { list, sort, isUsual } = useSortedList("recordings", "-started_at");
  return (
    <RowList
      of="recordings"
      list={list}
      columns={COLUMNS}
      caption={isUsual ? "Recordings, newest first" : "Recordings"}
      sort={sort}
      openKey={openKey}
      hint={
        <p>
          Your application records with <code>integrations: [Sentry.replayIntegration()]</code> and
          {" "}
          <code>replaysSessionSampleRate: 1</code>.
        </p>
      }
      empty={
        <>
          <b>No recordings received.</b>{" "}
          The page records a part of its sessions, and each session with an error:{" "}
          <a href="#/settings">throw one</a> in Settings.
        </>
      }
    />
  );
}

const COLUMNS: readonly Column<RecordingRow>[] = [
  {
    title: "Picture",
    isWide: true,
    width: 11,
    className: "picture",
    cell: (row) => <Picture key={row.replay_id} row={row} />,
  },
  {
    title: "Page",
    cell: (row, link) => <Happened key={row.replay_id} row={row} link={link} />,
    aside: {
      title: "Application",
      applications: ({ application }) => [application],
      cell: ({ release, missing, errors }) => (
        <span className="facts">
          {release !== null && <span title={release}>{shortRelease(release)}</span>}
          {missing > 0 && <Marked kind="waits">{missing} missing</Marked>}
          {errors > 0 && <Marked kind="refused">{formatCount(errors, "error")}</Marked>}
        </span>
      ),
    },
  },
  {
    title: "Recorded",
    className: "recorded",
    width: 5.5,
    isWide: true,
    numeric: true,
    by: "duration",
    cell: ({ started_at, ended_at }) => formatClock(ended_at - started_at),
  },
  timeColumn("Started", ({ started_at }) => started_at, { by: "started_at" }),
];

/** What is marked: more would be a band. */
const MARKED: readonly EventKind[] = ["request", "navigation", "click", "error"];

/** How a recording looks in its middle, where most have more than an empty page. Nothing for videos. */
function Picture({ row }: { row: RecordingRow }) {
  return canHaveStill(row) &&
    <RecordingStill row={row} at={(row.started_at + row.ended_at) / 2} />;
}

/** Its pages, what happened on them, and when. */
function Happened({ row, link }: { row: RecordingRow; link: (text: string) => ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const { isOn, done } = useTurn(place);
  const { state, value } = useRead(
    // The server reads all of its segments: again only for a new one.
    ["marks", row.replay_id, row.segments, row.errors],
    isOn && canHaveStill(row) && (() => read("recording", { id: row.replay_id })),
  );
  useEffect(() => {
    if (isOn && (state !== "loading" || !canHaveStill(row))) done();
  }, [isOn, state]);
  const others = value?.urls.filter((url) => url !== row.page) ?? [];
  const pages = others.length + (row.page === null ? 0 : 1);
  const events = value?.events.filter(({ isAstray }) => !isAstray) ?? [];
  const end = timeLineEnd({ from: row.started_at, to: row.ended_at }, events);
  const length = Math.max(1, end - row.started_at);
  const shown = events.filter(({ at }) => at >= row.started_at - SLACK_MS && at <= end);
  const byKind = Map.groupBy(shown, ({ kind }) => kind);
  const rages = shown.filter(({ isRage }) => isRage).length;
  const marks = MARKED.flatMap((kind) => marksOf(byKind.get(kind) ?? [], row.started_at, length));
  return (
    <>
      <div className="pages one-line">
        {link(row.page === null ? "(no address)" : addressPath(row.page))}
        {others.map((url) => ` → ${addressPath(url)}`)}
      </div>
      <div className="facts small quiet">
        {row.user !== null && <b>{row.user}</b>}
        {row.browser !== null && <span>{row.browser}</span>}
        <RowValues
          values={[...row.page === null ? [] : [["page", row.page] as const], ["kind", row.kind]]}
        >
          {row.kind === "video"
            ? "video of a mobile app"
            : value
            ? `${formatCount(pages, "page")}, ${
              formatCount(byKind.get("click")?.length ?? 0, "click")
            } reported`
            : "web page"}
        </RowValues>
        {rages > 0 && (
          <Marked kind="waits" title="At least 5 clicks on one element, without a reaction">
            {formatCount(rages, "rage click")}
          </Marked>
        )}
      </div>
      <div className="recording-marks well" ref={place} aria-hidden="true">
        {marks.map((mark) => (
          <i
            key={`${mark.kind} ${mark.at}`}
            className={`of-${mark.kind} ${mark.look}`}
            style={{ left: percent(mark.at - row.started_at, length) }}
          />
        ))}
      </div>
    </>
  );
}
