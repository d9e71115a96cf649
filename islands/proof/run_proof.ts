import "../view_code.ts";
import { sessionData, snapshot, type TelemetryState } from "../../monitoring/browser/mod.ts";
import { inbox } from "../data/inbox.ts";
import { dsnOfPage } from "../data/sentry_link.ts";
import { messageOf } from "../../components/format.ts";
import type { ProofContext } from "./causes.ts";
import { evaluateProof, type Evaluation } from "./evaluate.ts";
import { addEvidence, type Evidence, isFailing, isUnanswered, NO_EVIDENCE } from "./evidence.ts";
import { findIds, type MadeSignals, makeSignals, SIGNAL_LIST, SIGNALS } from "./signals.ts";

export type ProofOptions = Pick<ProofContext, "variant" | "route">;

export interface ProofState extends Evaluation {
  readonly evidence: Evidence;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly tookMs: number;
}

/** Maximum wait until telemetry and its recorder run: they are loaded once the page is idle. */
const START_TIMEOUT_MS = 10_000;
/** Maximum time of a proof. The relay waits 10 s for an ingest; the recorder's first segment has 5 s. */
const TIMEOUT_MS = 40_000;
/** Remaining time after a failure: the browser waits before it sends the other signals. */
const AFTER_FAILURE_MS = 10_000;
/** Interval of checks. */
const POLL_MS = 250;
/** Envelopes of one type in the trace of the page, newest first. */
const MAX_ROWS = 50;
/** Maximum wait for the answer that shows whether the other end runs. */
const ANSWER_TIMEOUT_MS = 10_000;

/** Makes one signal of each kind and follows each by its id, until all have ended or the time is over. */
export async function runProof(
  { variant, route }: ProofOptions,
  onProgress: (state: ProofState) => void,
): Promise<void> {
  const startedAt = Date.now();
  let deadline = startedAt + TIMEOUT_MS;
  let connection: ProofContext["connection"];
  let inboxProblem: string | undefined;
  let made: MadeSignals | undefined;
  let evidence = NO_EVIDENCE;
  const endSoon = () => deadline = Math.min(deadline, Date.now() + AFTER_FAILURE_MS);

  for (;;) {
    if (canStart(snapshot(), startedAt)) made ??= await makeSignals();
    if (made !== undefined) {
      const { at } = made;
      const since = sessionData.envelopes.filter((envelope) => envelope.at >= at)
        .map((envelope) => ({ at: envelope.at, ids: findIds(envelope.bytes) }));
      evidence = addEvidence(evidence, made, since, snapshot());
      const { receipts } = snapshot();
      if (receipts.some(isFailing)) endSoon();
      if (receipts.some(isUnanswered)) connection ??= await diagnoseConnection(route);
      if (variant === "inbox") {
        try {
          evidence = await askInbox(evidence, made);
          inboxProblem = undefined;
        } catch (error) {
          endSoon();
          inboxProblem = messageOf(error);
        }
      }
    }
    const now = Date.now();
    const isOver = now >= deadline;
    const context = { ...snapshot(), variant, route, isOver, connection, inboxProblem };
    const evaluation = evaluateProof(evidence, context);
    onProgress({ ...evaluation, evidence, startedAt, tookMs: now - startedAt });
    if (evaluation.verdict !== "pending") return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Whether everything that reports signals runs, or has had enough time. */
function canStart({ phase, recording }: TelemetryState, startedAt: number): boolean {
  if (phase !== "running") return false;
  return recording !== "waiting" || Date.now() > startedAt + START_TIMEOUT_MS;
}

/** Looks for each stored signal by its id in the bytes of the inbox's envelopes. */
async function askInbox(evidence: Evidence, { traceId }: MadeSignals): Promise<Evidence> {
  const result = { ...evidence };
  for (const signal of SIGNAL_LIST) {
    const { id, receipt, foundMs } = evidence[signal];
    if (foundMs !== undefined || receipt === undefined) continue;
    if (receipt.outcome !== "stored" && receipt.outcome !== "duplicate") continue;
    const { rows } = await inbox.read("envelopes", {
      type: SIGNALS[signal].itemType,
      limit: MAX_ROWS,
      ...(signal === "recording" ? { replay: id?.split(" ")[0] } : { trace: traceId }),
    });
    const wanted = sizesOf(receipt.items);
    for (const row of rows.filter(({ items }) => sizesOf(items) === wanted)) {
      const bytes = await inbox.bytes(row.id);
      if (!bytes || !findIds(bytes)[signal].includes(id)) continue;
      const elapsed = Math.round(Date.now() - receipt.at - receipt.tookMs);
      result[signal] = { ...evidence[signal], foundMs: Math.max(0, elapsed) };
      break;
    }
  }
  return result;
}

/** What items have in common here and in the inbox, however the envelope was compressed. */
function sizesOf(items: readonly { readonly type: string; readonly bytes: number }[]): string {
  return items.map(({ type, bytes }) => `${type} ${bytes}`).join();
}

/**
 * Finds out why a request got no answer, by another one to the same end.
 *
 * @param route of the page's own server; if it is no path, the ingest is asked
 */
async function diagnoseConnection(route: string): Promise<ProofContext["connection"]> {
  if (!navigator.onLine) return "offline";
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  try {
    await (route.startsWith("/")
      ? fetch(location.pathname, { method: "HEAD", cache: "no-store", signal })
      // Its answer cannot be read, but that there is one can.
      : fetch(new URL(dsnOfPage()).origin, { mode: "no-cors", cache: "no-store", signal }));
    return "blocked";
  } catch {
    // Unreachable or too slow: browsers do not report which.
    return "down";
  }
}
