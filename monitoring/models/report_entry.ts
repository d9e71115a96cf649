import { digest } from "./digest.ts";
import { at, integerAt, listOf, plausibleTime, textAt } from "./json.ts";

/** The index entry of what an SDK counts: sessions in a state, or what it gave up before sending. Times are its clock's. */
export interface ReportEntry {
  /** A digest: of a session's id, else of the content. Of those with one id the last update counts. */
  readonly id: string;
  /** When the sessions started, or the report was made, milliseconds since 1970. */
  readonly at: number;
  readonly updated_at: number;
  /** Sentry's data category of what was given up; empty: sessions. */
  readonly category: string;
  /** Why it was given up; of sessions one of {@linkcode SESSION_STATES}. */
  readonly reason: string;
  readonly quantity: number;
}

/** `errored`: with errors, and in none of the states after it. `unhandled`: by browsers since SDK 11, which sent `crashed`. */
export const SESSION_STATES = ["exited", "errored", "unhandled", "abnormal", "crashed"] as const;

const NAME = /^[\w-]{1,64}$/;
/** Larger sums could not be exact. */
const MAX_QUANTITY = 1e9;

/** Reads a `client_report`, which is untrusted. https://develop.sentry.dev/sdk/telemetry/client-reports/ */
export function* discardedEntries(payload: unknown, receivedAt: number): Generator<ReportEntry> {
  const time = timeOf(payload, "timestamp", receivedAt);
  for (const one of listOf(at(payload, "discarded_events"))) {
    const [category, reason] = [textAt(one, "category") ?? "", textAt(one, "reason") ?? ""];
    const quantity = quantityOf(one, "quantity");
    const id = digest([`${time}`, category, reason, `${quantity}`]);
    if (!NAME.test(category) || !NAME.test(reason) || quantity === 0) continue;
    yield { id, at: time, updated_at: time, category, reason, quantity };
  }
}

/** Reads a `session`: the state of one. https://develop.sentry.dev/sdk/telemetry/sessions/ */
export function* sessionEntries(payload: unknown, receivedAt: number): Generator<ReportEntry> {
  const [started, updated] = ["started", "timestamp"].map((name) =>
    timeOf(payload, name, receivedAt)
  ) as [number, number];
  const status = at(payload, "status");
  const isErrored = status === "errored" || quantityOf(payload, "errors") > 0;
  yield {
    id: digest([textAt(payload, "sid") ?? `${started} ${updated}`]),
    at: started,
    // Of two at one time the end counts.
    updated_at: status === "ok" ? updated : updated + 0.5,
    category: "",
    reason: SESSION_STATES.slice(2).find((state) => state === status) ??
      (isErrored ? "errored" : "exited"),
    quantity: 1,
  };
}

/** Reads `sessions`: numbers of those that started in one minute. */
export function* aggregateEntries(payload: unknown, receivedAt: number): Generator<ReportEntry> {
  const release = textAt(payload, "attrs", "release") ?? "";
  for (const one of listOf(at(payload, "aggregates"))) {
    const time = timeOf(one, "started", receivedAt);
    const counts = SESSION_STATES.map((state) => quantityOf(one, state));
    for (const [n, reason] of SESSION_STATES.entries()) {
      const quantity = counts[n]!;
      const id = digest([release, `${time}`, textAt(one, "did") ?? "", `${counts}`, reason]);
      if (quantity > 0) yield { id, at: time, updated_at: time, category: "", reason, quantity };
    }
  }
}

const timeOf = (value: unknown, name: string, receivedAt: number): number =>
  plausibleTime(at(value, name), receivedAt) ?? receivedAt;

const quantityOf = (value: unknown, name: string): number =>
  Math.min(integerAt(value, 0, name) ?? 0, MAX_QUANTITY);
