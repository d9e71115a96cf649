import { captureError, flush, loadOpenTelemetry, log } from "../../monitoring/browser/mod.ts";
import { type ManualSpan, runInSpan } from "../shared/manual_span.ts";
import { LOG_ID, type SignalIds } from "./find_signals.ts";

/** Names of the proof's signals in the lists. */
const nameOf = (signal: string) => `Sightglass proof: ${signal}`;

/** The signals of one proof. */
export interface MadeSignals {
  readonly ids: Omit<SignalIds, "recording">;
  /** Its trace contains all three. */
  readonly span: ManualSpan;
  /** When the first was made, milliseconds since 1970. */
  readonly at: number;
}

/** Makes a real error, a span and a log, and sends them at once, with the recording until now. */
export async function makeSignals(): Promise<MadeSignals> {
  const error = randomHex(16);
  const logId = randomHex(8);
  const api = await loadOpenTelemetry();
  const at = Date.now();
  // deno-lint-ignore require-await -- the span ends with the promise
  const span = await runInSpan(api.trace, nameOf("span"), async (span) => {
    captureError(new Error(nameOf("error")), { handled: true, eventId: error });
    log("info", nameOf("log"), { [LOG_ID]: logId });
    return span;
  });
  flush();
  return { ids: { error, span: span.spanId, log: logId }, span, at };
}

function randomHex(bytes: number): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  return Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
