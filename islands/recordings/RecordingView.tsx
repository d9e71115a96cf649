import { useMemo, useState } from "react";
import { formatBytes, formatCount } from "../../components/format.ts";
import { formatClock } from "../../components/format_time.ts";
import { Loading } from "../../components/ReadFailure.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";
import {
  allEvents,
  joinSegments,
  parseSegment,
  type RecordedEvent,
  type Recording,
  type Segment,
} from "../../monitoring/models/recording/recording.ts";
import { addressPath } from "../../monitoring/models/recording/timeline.ts";
import type { RecordingRow } from "../../monitoring/models/recording/recording_row.ts";
import { CopyId } from "../kit/CopyButton.tsx";
import { ErrorBoundary } from "../kit/ErrorBoundary.tsx";
import { ALL } from "../data/filters.ts";
import { fragmentTo } from "../data/fragment.ts";
import { LoadedPart } from "../kit/LoadedPart.tsx";
import { PlayerPanel } from "./PlayerPanel.tsx";
import { describeMissing } from "./TimeLine.tsx";
import { Unread } from "../kit/Blank.tsx";
import { CopyMenu, DetailView } from "../kit/DetailView.tsx";
import type { SentSegment } from "../../monitoring/protocol/player_messages.ts";
import { inShortTasks, type ReadSegments, readSegments } from "../player/segments.ts";
import { useList } from "../data/lists.ts";
import { useRead } from "../data/use_read.ts";

const loadMaskingReport = async () => (await import("./MaskingReport.tsx")).default;

/** One recording: its facts, the player, and what happened on a time line. */
export function RecordingView({ replayId }: {
  replayId: string;
}) {
  const result = useRecording(replayId);
  const { row } = result;
  return (
    <DetailView
      className="one-recording"
      back="All recordings"
      title={row?.page ? `Recording of ${addressPath(row.page)}` : "Recording"}
      facts={
        <>
          {row && <RecordingFacts row={row} />}
          <CopyId id={replayId} what="recording id" />
        </>
      }
      actions={
        <>
          <a href={fragmentTo("envelopes", [], { q: replayId, application: ALL })}>
            Envelopes
          </a>
          <CopyMenu what="recording" />
        </>
      }
    >
      {row?.kind === "video"
        ? (
          <>
            <p className="empty">
              This is a recording of a mobile app: its SDK sends videos of the screen instead of the
              page's content. They cannot be played here. “Envelopes” above has the videos as
              received, and what was recorded beside them.
            </p>
            <Masking {...{ replayId }} events={[]} recording={undefined} />
          </>
        )
        : <Content replayId={replayId} result={result} />}
    </DetailView>
  );
}

function RecordingFacts({ row }: { row: RecordingRow }) {
  const { started_at, ended_at, segments, missing, doubled, bytes, errors } = row;
  return (
    <>
      <Timestamp at={started_at} />
      <span>{formatClock(ended_at - started_at)} recorded</span>
      <span>{formatCount(errors, "error")}</span>
      <span>{formatCount(segments, "segment")}, {formatBytes(bytes)}</span>
      {missing > 0 && <span className="waits">{formatCount(missing, "segment")} missing</span>}
      {doubled > 0 && <span>{formatCount(doubled, "segment")} arrived again</span>}
    </>
  );
}

function Content({ replayId, result }: {
  replayId: string;
  result: RecordingState;
}) {
  switch (result.state) {
    case "loading":
      // The key keeps it when the recording is read.
      return <PlayerPanel key="player" {...{ replayId }} segments={result.segments} />;
    case "missing":
    case "failed":
      return <Unread what="recording" of={result} />;
    case "ready":
      return (
        <>
          <Problems {...result} />
          {result.newer > 0 && (
            <p>
              {formatCount(result.newer, "segment")} arrived since this was read.{" "}
              <button type="button" className="plain" onClick={result.retry}>Read again</button>
            </p>
          )}
          {result.recording
            ? (
              <PlayerPanel
                key="player"
                replayId={replayId}
                recording={result.recording}
                segments={result.segments}
              />
            )
            : (
              <p className="empty">
                Cannot play this recording: none of its segments has a complete picture of the page.
                Mostly the first one has it, number 0.
              </p>
            )}
          <Masking replayId={replayId} events={result.events} recording={result.recording} />
        </>
      );
  }
}

/** The masking report. It reads all envelopes of the session, so it is made only when it is opened. */
function Masking(props: {
  replayId: string;
  events: readonly RecordedEvent[];
  recording: Recording | undefined;
}) {
  const [wasOpened, setWasOpened] = useState(false);
  return (
    <details
      className="masking entry"
      onToggle={({ currentTarget }) => setWasOpened((was) => was || currentTarget.open)}
    >
      <summary className="pad">
        <h4>Masking report</h4> what is not masked
      </summary>
      {wasOpened && (
        <ErrorBoundary what="The masking report">
          <LoadedPart
            load={loadMaskingReport}
            props={props}
            loading={<Loading what="the masking report" />}
          />
        </ErrorBoundary>
      )}
    </details>
  );
}

/** What is wrong with the recording, in sentences. */
function Problems({ recording, unreadable, omitted }: ReadRecording) {
  const sentences = useMemo(() => {
    const [missing, before] = [recording?.gaps, recording?.before.gaps].map((gaps = []) =>
      gaps.flatMap(({ missing }) => missing ? [describeMissing(missing)] : []).join(", ")
    );
    return [
      before !== "" && `Missing before what is played: ${before}.`,
      missing !== "" &&
      `Missing: ${missing}. From there on the picture may be wrong until the page was ` +
        "recorded completely again.",
      recording && recording.before.frames > 0 &&
      `${
        formatCount(recording.before.frames, "change")
      } not played: before the first complete picture.`,
      recording && recording.omitted > 0 &&
      `${formatCount(recording.omitted, "event")} left out: too many, or of an implausible time.`,
      omitted > 0 && `${formatCount(omitted, "segment")} left out: the recording is too large.`,
      ...unreadable.slice(0, MAX_SENTENCES),
    ].filter((sentence) => typeof sentence === "string");
  }, [recording, unreadable, omitted]);
  return sentences.map((sentence) => <p key={sentence} className="waits">{sentence}</p>);
}

const MAX_SENTENCES = 5;

/** A recording, as far as it could be read. */
interface ReadRecording extends Omit<ReadSegments, "segments"> {
  /** Undefined: none of the segments has a complete picture of the page. */
  readonly recording: Recording | undefined;
  /** Every event that was read, also those that are not played. */
  readonly events: readonly RecordedEvent[];
}

type RecordingState =
  & {
    /** The list's row; undefined: not known yet, or there is none. */
    readonly row: RecordingRow | undefined;
    /** What the player gets, before it is parsed here. Undefined: not read yet. */
    readonly segments: readonly SentSegment[] | undefined;
    /** Segments that have arrived since it was read. */
    readonly newer: number;
    /** Reads all segments, also again. */
    retry(): void;
  }
  & (
    | { readonly state: "loading" | "missing" | "failed"; readonly error?: string | undefined }
    | ({ readonly state: "ready" } & ReadRecording)
  );

/** Reads a recording. Segments that arrive later are only counted: reading them would interrupt the player. */
function useRecording(replayId: string): RecordingState {
  const list = useList("recordings", { replay: replayId });
  const row = list.rows[0];
  const isKnown = row !== undefined;
  const hasNone = !isKnown && list.state !== "loading";
  // At the same time as the row. Without a row: when there is one.
  const sent = useRead(
    ["segments", replayId],
    !hasNone && (() => readSegments(replayId)),
  );
  const parsed = useRead(
    ["recording", replayId, sent.version],
    sent.value && ((outdated) => parseSegments(sent.value!, outdated)),
    0,
  );
  const { value } = parsed;

  const retry = () => {
    list.retry();
    sent.retry();
  };
  const arrived = row === undefined ? 0 : row.segments + row.doubled;
  const newer = value ? Math.max(0, arrived - value.envelopes) : 0;
  const common = { row, newer, retry, segments: sent.value?.segments };
  if (list.state === "failed" && !isKnown) {
    return { ...common, state: "failed", error: list.error };
  }
  if (!isKnown) return { ...common, state: list.state === "loading" ? "loading" : "missing" };
  const failed = [sent, parsed].find(({ state }) => state === "failed");
  if (failed) return { ...common, state: "failed", error: failed.error };
  return value ? { ...value, ...common, state: "ready" } : { ...common, state: "loading" };
}

/** Parses them in short tasks. The player does the same in its own process, at the same time. */
async function parseSegments(
  { segments: sent, ...read }: ReadSegments,
  outdated: AbortSignal,
): Promise<ReadRecording> {
  const segments: Segment[] = [];
  const unreadable = [...read.unreadable];
  await inShortTasks(sent, (one) => {
    const segment = parseSegment(one);
    if (segment) segments.push(segment);
    else unreadable.push(`Envelope ${one.envelope}: its events are not JSON.`);
  }, outdated);
  return {
    ...read,
    unreadable,
    recording: joinSegments(segments),
    events: allEvents(segments),
  };
}
