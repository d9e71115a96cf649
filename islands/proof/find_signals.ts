import { at, listOf } from "../../monitoring/models/json.ts";
import { type ParsedItem, parseEnvelope } from "../../monitoring/models/parsed_envelope.ts";

/** The signals of a proof, in the order in which they are shown. */
export const SIGNALS = ["error", "span", "log", "recording"] as const;
export type Signal = (typeof SIGNALS)[number];

/** The item type that carries each signal. */
export const ITEM_TYPES: Readonly<Record<Signal, string>> = {
  error: "event",
  span: "span",
  log: "log",
  recording: "replay_recording",
};

/** Name of the attribute with the id of the proof's log. */
export const LOG_ID = "proof.id";

/** The id of each signal of one proof. */
export interface SignalIds {
  /** The event's id. */
  readonly error: string;
  /** The span's id. */
  readonly span: string;
  /** The value of the attribute {@linkcode LOG_ID}. */
  readonly log: string;
  /** Undefined: no recorder runs. */
  readonly recording?: SegmentId | undefined;
}

/** Names a segment of a recording. */
export interface SegmentId {
  readonly replayId: string;
  /** Undefined: any. */
  readonly segment?: number | undefined;
}

/** The proof's signals in an envelope. */
interface FoundSignals {
  readonly signals: readonly Signal[];
  /** The number of the recording's segment. */
  readonly segment?: number | undefined;
}

/**
 * Finds the signals of a proof in an envelope, each by its own id.
 *
 * @param bytes the envelope, decompressed
 */
export function findSignals(bytes: Uint8Array, ids: SignalIds): FoundSignals {
  const { header, items } = parseEnvelope(bytes);
  const segments = items.filter(isOf("recording")).map(({ json }) => at(json, "segment_id"));
  const segment = segments.find((number) => typeof number === "number");
  const wanted = ids.recording;
  const has: Readonly<Record<Signal, boolean>> = {
    error: items.some((item) => isOf("error")(item) && at(item.json, "event_id") === ids.error),
    span: entriesOf("span", items).some((span) => at(span, "span_id") === ids.span),
    log: entriesOf("log", items).some((log) => at(log, "attributes", LOG_ID, "value") === ids.log),
    // The envelope of a segment has the id of its recording.
    recording: wanted !== undefined && segment !== undefined &&
      at(header, "event_id") === wanted.replayId &&
      (wanted.segment ?? segment) === segment,
  };
  const signals = SIGNALS.filter((signal) => has[signal]);
  return { signals, segment: has.recording ? segment : undefined };
}

const isOf = (signal: Signal) => ({ type }: ParsedItem) => type === ITEM_TYPES[signal];

/** The entries of all containers of a type. */
const entriesOf = (signal: Signal, items: readonly ParsedItem[]): unknown[] =>
  items.filter(isOf(signal)).flatMap(({ json }) => listOf(at(json, "items")));
