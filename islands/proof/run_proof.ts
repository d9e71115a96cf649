import "../shared/view_code.ts";
import {
  type Receipt,
  type SignalKind,
  snapshot,
  subscribe,
  visitData,
} from "../../monitoring/browser/mod.ts";
import { dsnOfPage } from "../shared/sentry_link.ts";
import { findSignals, ITEM_TYPES, type SegmentId, type Signal, SIGNALS } from "./find_signals.ts";
import { type MadeSignals, makeSignals } from "./make_signals.ts";
import { isRetryable } from "../../monitoring/protocol/retry.ts";
import { type Circumstances, isUnanswered, type SignalEvidence } from "./causes.ts";
import { evaluateProof, type Evaluation, type Evidence } from "./evaluate.ts";
import { messageOf } from "../shared/text.ts";
import { startReading } from "../data/queries.ts";
import { source } from "../data/source.ts";

export interface ProofOptions {
  /** `inbox` or `relay`. */
  readonly variant: string;
  /** Where the browser sends envelopes: a path, or "direct to the ingest". */
  readonly route: string;
}

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
/** Remaining time after a request without an answer: the browser waits before it sends the other signals. */
const AFTER_FAILURE_MS = 10_000;
/** Interval of checks for what no event reports: the inbox, and the deadline. */
const POLL_MS = 250;
/** Envelopes of one type in the trace of the page, newest first. */
const MAX_ROWS = 50;

/**
 * Makes one signal of each kind and follows each by its id, until all have ended or the time is over.
 *
 * @param onProgress called with each new state
 * @returns the last state
 */
export async function runProof(
  options: ProofOptions,
  onProgress: (state: ProofState) => void,
): Promise<ProofState> {
  const run = new ProofRun(options);
  for (;;) {
    const state = await run.next();
    onProgress(state);
    if (state.verdict !== "pending") return state;
    await untilChange(POLL_MS);
  }
}

/** Resolves when telemetry has changed, and after `ms` at the latest. */
function untilChange(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = subscribe(() => done());
    const timer = setTimeout(() => done(), ms);
    const done = () => {
      stop();
      clearTimeout(timer);
      resolve();
    };
  });
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The evidence about one signal, with its envelope. */
interface Followed extends Writable<SignalEvidence> {
  envelope?: { readonly at: number; readonly bytes: Uint8Array };
  /** Milliseconds since 1970. */
  answeredAt?: number;
}

/** The kind of consent that each signal needs. */
const KIND_OF: Readonly<Record<Signal, SignalKind>> = {
  error: "errors",
  span: "traces",
  log: "logs",
  recording: "recordings",
};

/** What was found out after a failure. */
type Diagnosis = Writable<
  Pick<Circumstances, "storageProblem" | "isReachable" | "inboxProblem">
>;

class ProofRun {
  readonly #options: ProofOptions;
  readonly #startedAt = Date.now();
  #deadline = this.#startedAt + TIMEOUT_MS;
  #made: MadeSignals | undefined;
  #segment: SegmentId | undefined;
  readonly #signals: Readonly<Record<Signal, Followed>> = {
    error: {},
    span: {},
    log: {},
    recording: {},
  };
  readonly #seen = new WeakSet<object>();
  readonly #found: Diagnosis = {};

  constructor(options: ProofOptions) {
    this.#options = options;
  }

  /** Reads what has happened since the last call, and evaluates it. */
  async next(): Promise<ProofState> {
    await this.#start();
    if (this.#made !== undefined) {
      this.#findEnvelopes(this.#made);
      this.#findReceipts(this.#made);
      await this.#diagnose();
      if (this.#options.variant === "inbox") await this.#askInbox(this.#made);
    }
    return this.#state();
  }

  /** Makes the signals, once everything that reports them runs. */
  async #start(): Promise<void> {
    if (this.#made !== undefined) return;
    const { phase, recording, consent } = snapshot();
    const isReady = phase === "running" && recording !== "waiting";
    const isLate = phase === "running" && Date.now() > this.#startedAt + START_TIMEOUT_MS;
    if (!isReady && !isLate) return;
    this.#made = await makeSignals();
    const { ids, span: { isSampled } } = this.#made;
    Object.assign(this.#signals.error, { id: ids.error });
    Object.assign(this.#signals.span, { id: ids.span, isSampled });
    Object.assign(this.#signals.log, { id: ids.log });
    if (recording === "off") this.#signals.recording.off = "no recorder runs";
    for (const signal of SIGNALS) {
      if (consent?.[KIND_OF[signal]] === Infinity) this.#signals[signal].off = "no consent";
    }
  }

  /** Finds the signals in the envelopes that this page has made since. */
  #findEnvelopes({ ids, at }: MadeSignals): void {
    const { replayId } = snapshot();
    const recording = this.#segment ?? (replayId === undefined ? undefined : { replayId });
    for (const envelope of visitData.envelopes) {
      if (envelope.at < at || this.#seen.has(envelope)) continue;
      this.#seen.add(envelope);
      const { signals, segment } = findSignals(envelope.bytes, { ...ids, recording });
      for (const signal of signals) {
        const followed = this.#signals[signal];
        // The first segment only: later ones may repeat its recording.
        if (followed.envelope !== undefined) continue;
        followed.envelope = envelope;
        followed.createdMs = Math.max(0, Math.round(envelope.at - at));
        if (signal !== "recording" || recording === undefined) continue;
        this.#segment = { ...recording, segment };
        followed.id = `${recording.replayId} segment ${segment}`;
      }
    }
  }

  #findReceipts({ at }: MadeSignals): void {
    const { receipts } = snapshot();
    for (const signal of SIGNALS) {
      const followed = this.#signals[signal];
      const { envelope } = followed;
      if (envelope === undefined) {
        // Items that the browser may not send never become an envelope.
        followed.isLimited = receipts.some((one) => one.at >= at && isLimitOf(signal, one));
        continue;
      }
      // Only the receipt of dropped items, which has no bytes, may have the same time.
      const isSame = (one: Receipt) => one.at === envelope.at && one.bytes > 0;
      followed.receipt = receipts.find(isSame) ?? followed.receipt;
    }
  }

  /** Finds out why, once something has failed: a receipt alone does not say it. */
  async #diagnose(): Promise<void> {
    const own = SIGNALS.flatMap((signal) => this.#signals[signal].receipt ?? []);
    const ahead = snapshot().receipts.find(isFailing);
    const found = this.#found;
    if (own.some(({ attempts, storedMs }) => attempts > 0 && storedMs === undefined)) {
      found.storageProblem ??= await whyNotStored();
    }
    if (!ahead) return;
    this.#endSoon();
    if (isUnanswered(ahead) && navigator.onLine) {
      found.isReachable ??= await isReachable(this.#options.route);
    }
  }

  #endSoon(): void {
    this.#deadline = Math.min(this.#deadline, Date.now() + AFTER_FAILURE_MS);
  }

  /** Looks for each stored signal in the inbox: in the bytes of an envelope there. */
  async #askInbox(made: MadeSignals): Promise<void> {
    for (const signal of SIGNALS) {
      const followed = this.#signals[signal];
      const { receipt, found } = followed;
      if (found !== undefined || receipt === undefined) continue;
      if (receipt.outcome !== "stored" && receipt.outcome !== "duplicate") continue;
      followed.answeredAt ??= Date.now();
      try {
        const envelope = await this.#findInInbox(signal, receipt, made);
        this.#found.inboxProblem = undefined;
        if (envelope === undefined) continue;
        followed.found = { envelope, ms: Date.now() - followed.answeredAt };
      } catch (error) {
        this.#endSoon();
        this.#found.inboxProblem = messageOf(error);
      }
    }
  }

  async #findInInbox(
    signal: Signal,
    { items }: Receipt,
    { ids, span: { traceId } }: MadeSignals,
  ): Promise<number | undefined> {
    await startReading(this.#options.variant);
    const recording = this.#segment;
    const { rows } = await source.envelopes({
      type: ITEM_TYPES[signal],
      limit: MAX_ROWS,
      ...(signal === "recording" ? { replay: recording?.replayId } : { trace: traceId }),
    });
    const wanted = sizesOf(items);
    for (const { id, items } of rows) {
      const bytes = sizesOf(items) === wanted ? await source.envelope(id) : undefined;
      if (bytes === undefined) continue;
      if (findSignals(bytes, { ...ids, recording }).signals.includes(signal)) return id;
    }
    return undefined;
  }

  #state(): ProofState {
    const { phase, reason, recording: recorder, receipts, compressionProblem } = snapshot();
    const { variant, route } = this.#options;
    const now = Date.now();
    const evidence: Evidence = { ...this.#signals };
    const evaluation = evaluateProof(evidence, {
      variant,
      route,
      phase,
      reason,
      recorder,
      isUncompressed: compressionProblem !== undefined,
      ahead: receipts.find(isFailing),
      isOnline: navigator.onLine,
      isOver: now >= this.#deadline,
      ...this.#found,
    });
    return { ...evaluation, evidence, startedAt: this.#startedAt, tookMs: now - this.#startedAt };
  }
}

/** What items have in common here and in the inbox, however the envelope was compressed. */
function sizesOf(items: readonly { readonly type: string; readonly bytes: number }[]): string {
  return items.map(({ type, bytes }) => `${type} ${bytes}`).join();
}

/** Whether an envelope failed and is sent again later, so that those behind it wait. */
const isFailing = (receipt: Receipt): boolean =>
  isUnanswered(receipt) ||
  receipt.outcome === undefined && receipt.status !== undefined && isRetryable(receipt.status);

/** Whether a receipt is of an item that the browser dropped because of a rate limit. */
const isLimitOf = (signal: Signal, { items, outcome, attempts }: Receipt): boolean =>
  outcome === "rate_limited" && attempts === 0 &&
  items.some(({ type }) => type === ITEM_TYPES[signal]);

/** Maximum wait for each answer: a failing proof should not take much longer than a passing one. */
const ANSWER_TIMEOUT_MS = 10_000;

/** The database of the envelope store. Opening it without a version neither creates nor upgrades one that exists. */
const DATABASE = "envelopes";

/** Why the browser did not store an envelope, as the end of a sentence. */
async function whyNotStored(): Promise<string> {
  try {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(DATABASE);
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
      setTimeout(reject, ANSWER_TIMEOUT_MS, new DOMException("no answer", "TimeoutError"));
    });
    database.close();
    return "did not accept the envelope: the disk or the browser’s quota is full";
  } catch (error) {
    return `refuses IndexedDB (${Object(error).name})`;
  }
}

/**
 * Whether the other end answers another request than a post of an envelope.
 *
 * @param route of the page's own server; if it is no path, the ingest is asked
 */
async function isReachable(route: string): Promise<boolean> {
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  try {
    await (route.startsWith("/")
      ? fetch(location.pathname, { method: "HEAD", cache: "no-store", signal })
      // Its answer cannot be read, but that there is one can.
      : fetch(new URL(dsnOfPage()).origin, { mode: "no-cors", cache: "no-store", signal }));
    return true;
  } catch {
    // Blocked, unreachable, or too slow: browsers do not report which.
    return false;
  }
}
