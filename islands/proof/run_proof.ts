import "../shared/view_code.ts";
import {
  type Receipt,
  snapshot,
  subscribe,
  type TelemetryState,
  visitData,
  type VisitEnvelope,
} from "../../monitoring/browser/mod.ts";
import { isRetryable } from "../../monitoring/protocol/retry.ts";
import { startReading } from "../data/queries.ts";
import { source } from "../data/source.ts";
import { dsnOfPage } from "../shared/sentry_link.ts";
import { messageOf } from "../shared/text.ts";
import { type Circumstances, isUnanswered, type SignalEvidence } from "./causes.ts";
import { evaluateProof, type Evaluation, type Evidence } from "./evaluate.ts";
import {
  findIds,
  type MadeSignals,
  makeSignals,
  type Signal,
  SIGNAL_LIST,
  SIGNALS,
} from "./signals.ts";

export type ProofOptions = Pick<Circumstances, "variant" | "route">;

/** The state of a proof. */
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
/** Interval of checks for what no event reports: the inbox, and the deadline. */
const POLL_MS = 250;
/** Envelopes of one type in the trace of the page, newest first. */
const MAX_ROWS = 50;
/** Maximum wait for the answer that shows whether the other end runs. */
const ANSWER_TIMEOUT_MS = 10_000;

/**
 * Makes one signal of each kind and follows each by its id, until all have ended or the time is over.
 *
 * @param onProgress called with each new state
 */
export async function runProof(
  { variant, route }: ProofOptions,
  onProgress: (state: ProofState) => void,
): Promise<void> {
  const startedAt = Date.now();
  let deadline = startedAt + TIMEOUT_MS;
  let connection: Circumstances["connection"];
  let inboxProblem: string | undefined;
  let made: MadeSignals | undefined;
  const evidence = { error: {}, span: {}, log: {}, recording: {} } as Evidence;
  const endSoon = () => deadline = Math.min(deadline, Date.now() + AFTER_FAILURE_MS);

  for (;;) {
    if (made === undefined && canStart(snapshot(), startedAt)) {
      made = await makeSignals();
      expectSignals(evidence, made, snapshot());
    }
    if (made !== undefined) follow(evidence, made, snapshot());
    const ahead = made && snapshot().receipts.find(isFailing);
    if (ahead) {
      endSoon();
      if (isUnanswered(ahead)) connection ??= await diagnoseConnection(route);
    }
    if (made !== undefined && variant === "inbox") {
      try {
        await askInbox(evidence, made);
        inboxProblem = undefined;
      } catch (error) {
        endSoon();
        inboxProblem = messageOf(error);
      }
    }
    const now = Date.now();
    const evaluation = evaluateProof(evidence, {
      ...snapshot(),
      variant,
      route,
      isOver: now >= deadline,
      ahead,
      connection,
      inboxProblem,
    });
    onProgress({ ...evaluation, evidence, startedAt, tookMs: now - startedAt });
    if (evaluation.verdict !== "pending") return;
    await untilChange(POLL_MS);
  }
}

/** Resolves when telemetry has changed, and after `ms` at the latest. */
async function untilChange(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = subscribe(resolve);
  const timer = setTimeout(resolve, ms);
  await promise;
  stop();
  clearTimeout(timer);
}

/** Whether everything that reports signals runs, or has had enough time. */
function canStart({ phase, recording }: TelemetryState, startedAt: number): boolean {
  if (phase !== "running") return false;
  return recording !== "waiting" || Date.now() > startedAt + START_TIMEOUT_MS;
}

function expectSignals(evidence: Evidence, { ids }: MadeSignals, telemetry: TelemetryState): void {
  if (telemetry.recording === "off") evidence.recording.off = "no recorder runs";
  for (const signal of SIGNAL_LIST) {
    if (signal !== "recording") evidence[signal].id = ids[signal];
    if (telemetry.consent?.[SIGNALS[signal].consent] === Infinity) {
      evidence[signal].off = "no consent";
    }
  }
}

/** Finds the signals in the envelopes that this page has made since, and their receipts. */
function follow(evidence: Evidence, made: MadeSignals, telemetry: TelemetryState): void {
  const { receipts, replayId } = telemetry;
  const envelopes = visitData.envelopes.filter(({ at }) => at >= made.at).map(withIds);
  const isRecording = (id: unknown): id is string =>
    replayId !== undefined && String(id).startsWith(`${replayId} `);
  // The first segment only: later ones may repeat its recording.
  evidence.recording.id ??= envelopes.flatMap(({ ids }) => ids.recording).find(isRecording);
  for (const signal of SIGNAL_LIST) {
    const followed = evidence[signal];
    const envelope = envelopes.find(({ ids }) => followed.id && ids[signal].includes(followed.id));
    // Of an item that may not be sent there is a receipt without bytes, and no envelope.
    const receipt = envelope
      ? receipts.find(({ at, bytes }) => at === envelope.at && bytes > 0)
      : receipts.find((one) => one.at >= made.at && isLimitOf(signal, one));
    followed.receipt = receipt ?? followed.receipt;
    if (envelope) followed.createdMs ??= Math.max(0, Math.round(envelope.at - made.at));
  }
}

/** Each envelope is parsed once. */
const parsed = new WeakMap<VisitEnvelope, ReturnType<typeof findIds>>();

function withIds(envelope: VisitEnvelope) {
  const ids = parsed.get(envelope) ?? findIds(envelope.bytes);
  parsed.set(envelope, ids);
  return { at: envelope.at, ids };
}

/** Whether a receipt is of an item that the browser dropped because of a rate limit. */
const isLimitOf = (signal: Signal, { items, outcome, attempts }: Receipt): boolean =>
  outcome === "rate_limited" && attempts === 0 &&
  items.some(({ type }) => type === SIGNALS[signal].itemType);

/** Whether an envelope failed and is sent again later, so that those behind it wait. */
const isFailing = (receipt: Receipt): boolean =>
  isUnanswered(receipt) ||
  receipt.outcome === undefined && receipt.status !== undefined && isRetryable(receipt.status);

/** Looks for each stored signal in the inbox. */
async function askInbox(evidence: Evidence, { traceId }: MadeSignals): Promise<void> {
  for (const signal of SIGNAL_LIST) {
    const followed = evidence[signal];
    const { receipt, found } = followed;
    if (found !== undefined || receipt === undefined) continue;
    if (receipt.outcome !== "stored" && receipt.outcome !== "duplicate") continue;
    const envelope = await findInInbox(signal, followed, traceId);
    if (envelope === undefined) continue;
    const ms = Math.max(0, Math.round(Date.now() - receipt.at - receipt.tookMs));
    followed.found = { envelope, ms };
  }
}

/** Finds a signal by its id in the bytes of an envelope of the inbox; returns the envelope's id. */
async function findInInbox(
  signal: Signal,
  { id, receipt }: SignalEvidence,
  traceId: string,
): Promise<number | undefined> {
  await startReading("inbox");
  const { rows } = await source.envelopes({
    type: SIGNALS[signal].itemType,
    limit: MAX_ROWS,
    ...(signal === "recording" ? { replay: id?.split(" ")[0] } : { trace: traceId }),
  });
  const wanted = sizesOf(receipt?.items ?? []);
  for (const row of rows) {
    if (sizesOf(row.items) !== wanted) continue;
    const bytes = await source.envelope(row.id);
    if (bytes && findIds(bytes)[signal].includes(id)) return row.id;
  }
  return undefined;
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
async function diagnoseConnection(route: string): Promise<Circumstances["connection"]> {
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
