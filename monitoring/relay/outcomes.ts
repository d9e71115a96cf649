import { type Attributes, metrics } from "@opentelemetry/api";
import { type Outcome, OUTCOMES } from "../protocol/relay_api.ts";
import { RELAY_ERRORS, type RelayErrorCode } from "./errors.ts";

/** Why an envelope was not taken: refused by the relay, refused by its ingest, or too old in the spool. */
export type Reason = RelayErrorCode | "ingest" | "expired";

const TAKEN: readonly (Outcome | undefined)[] = ["delivered", "spooled", "stored", "duplicate"];

/** Whether an envelope is delivered or durable, so that further copies of it are duplicates. */
export function isTaken(outcome: Outcome | undefined): boolean {
  return TAKEN.includes(outcome);
}

/** What outcomes without a reason are counted under. */
const NO_REASON = "";
const REASONS = [NO_REASON, ...Object.keys(RELAY_ERRORS), "ingest", "expired"];

/** The attributes of every outcome and reason, made once: counting allocates nothing. */
const ATTRIBUTES: Readonly<Record<string, Readonly<Record<string, Attributes>>>> = recordOf(
  OUTCOMES,
  (outcome) =>
    recordOf(REASONS, (reason) => reason === NO_REASON ? { outcome } : { outcome, reason }),
);

/** Counts the outcomes of envelopes since the start of the process, for the health report and OpenTelemetry. */
export class OutcomeCounter {
  readonly #counts: Record<Outcome, number> = recordOf(OUTCOMES, () => 0);
  readonly #envelopes = metrics.getMeter("sightglass").createCounter("sightglass.relay.envelopes", {
    description: "Envelopes by outcome",
    unit: "{envelope}",
  });

  /** @param reason why the envelope was not taken */
  count(outcome: Outcome, reason?: Reason, envelopes = 1): void {
    this.#counts[outcome] += envelopes;
    this.#envelopes.add(envelopes, ATTRIBUTES[outcome]![reason ?? NO_REASON]);
  }

  /** All outcomes, also those that never occurred. */
  get counts(): Readonly<Record<Outcome, number>> {
    return this.#counts;
  }
}

function recordOf<K extends string, V>(keys: readonly K[], make: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, make(key)])) as Record<K, V>;
}
