import {
  captureError,
  flush,
  loadOpenTelemetry,
  log,
  type SignalKind,
} from "../../monitoring/browser/mod.ts";
import { at, listOf } from "../../monitoring/models/json.ts";
import { parseEnvelope } from "../../monitoring/models/parsed_envelope.ts";
import { runInSpan } from "../pipeline/test_signals.ts";

export type Signal = "error" | "span" | "log" | "recording";

interface SignalType {
  readonly name: string;
  readonly itemType: string;
  readonly consent: SignalKind;
}

/** The signals of a proof, in the order in which they are shown. */
export const SIGNALS: SignalRecord<SignalType> = {
  error: { name: "Error", itemType: "event", consent: "errors" },
  span: { name: "Span", itemType: "span", consent: "traces" },
  log: { name: "Log", itemType: "log", consent: "logs" },
  recording: { name: "Recording", itemType: "replay_recording", consent: "recordings" },
};
export const SIGNAL_LIST = Object.keys(SIGNALS) as readonly Signal[];

export type SignalRecord<T> = Readonly<Record<Signal, T>>;

export const mapSignals = <T>(valueOf: (signal: Signal) => T): SignalRecord<T> =>
  Object.fromEntries(SIGNAL_LIST.map((signal) => [signal, valueOf(signal)])) as SignalRecord<T>;

/** Name of the attribute with the id of the proof's log. */
const LOG_ID = "proof.id";

export interface MadeSignals {
  /** The recorder makes its segments itself. */
  readonly ids: Readonly<Record<Exclude<Signal, "recording">, string>>;
  /** The trace that contains them. */
  readonly traceId: string;
  /** When the first was made, milliseconds since 1970. */
  readonly at: number;
}

/** Makes a real error, a span and a log, and sends them at once, with the recording until now. */
export async function makeSignals(): Promise<MadeSignals> {
  const error = randomHex(32);
  const logId = randomHex(16);
  const nameOf = (signal: Signal) => `Sightglass proof: ${signal}`;
  const api = await loadOpenTelemetry();
  const at = Date.now();
  // deno-lint-ignore require-await -- the span ends with the promise
  const { spanId, traceId } = await runInSpan(api.trace, nameOf("span"), async (span) => {
    captureError(new Error(nameOf("error")), { handled: true, eventId: error });
    log("info", nameOf("log"), { [LOG_ID]: logId });
    return span;
  });
  flush();
  return { ids: { error, span: spanId, log: logId }, traceId, at };
}

/** @param digits at most 32 */
const randomHex = (digits: number) => crypto.randomUUID().replaceAll("-", "").slice(0, digits);

/**
 * The ids of all signals in an envelope.
 *
 * @param bytes the envelope, decompressed
 * @returns of a recording: "ID segment NUMBER"
 */
export function findIds(bytes: Uint8Array): SignalRecord<readonly unknown[]> {
  const { header, items } = parseEnvelope(bytes);
  const contentOf = (signal: Signal) =>
    items.filter(({ type }) => type === SIGNALS[signal].itemType).map(({ json }) => json);
  const entriesOf = (signal: Signal) =>
    contentOf(signal).flatMap((container) => listOf(at(container, "items")));
  return {
    error: contentOf("error").map((event) => at(event, "event_id")),
    span: entriesOf("span").map((span) => at(span, "span_id")),
    log: entriesOf("log").map((log) => at(log, "attributes", LOG_ID, "value")),
    // The envelope of a segment has the id of its recording.
    recording: contentOf("recording").map((segment) =>
      `${at(header, "event_id")} segment ${at(segment, "segment_id")}`
    ),
  };
}
