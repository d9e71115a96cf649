import "../shared/view_code.ts";
import {
  type Receipt,
  type SignalKind,
  snapshot,
  subscribe,
  visitData,
} from "../../monitoring/browser/mod.ts";
import { dsnOfPage } from "../shared/sentry_link.ts";
import { diagnoseStorage, diagnoseWorker, isReachable, repeatRefusedPost } from "./diagnose.ts";
import { findSignals, ITEM_TYPES, type SegmentId, type Signal, SIGNALS } from "./find_signals.ts";
import { type MadeSignals, makeSignals } from "./make_signals.ts";
import {
  type Circumstances,
  type Evidence,
  isFailing,
  isLimitOf,
  isRefused,
  isUnanswered,
  NO_CONSENT,
  type SignalEvidence,
} from "./proof_evidence.ts";
import { evaluateProof, type Evaluation } from "./proof_model.ts";
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
  Pick<Circumstances, "worker" | "storage" | "isReachable" | "refusal" | "inboxProblem">
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
      if (consent?.[KIND_OF[signal]] === Infinity) this.#signals[signal].off = NO_CONSENT;
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

  /** Finds out why, once something has failed. */
  async #diagnose(): Promise<void> {
    const { compressionProblem } = snapshot();
    const { route } = this.#options;
    const all = SIGNALS.map((signal) => this.#signals[signal]);
    const own = all.flatMap(({ receipt }) => receipt ?? []);
    const ahead = this.#ahead();
    const receipts = ahead && own.some(({ attempts }) => attempts === 0) ? [...own, ahead] : own;
    const found = this.#found;
    if (compressionProblem !== undefined) found.worker ??= await diagnoseWorker();
    if (own.some(({ attempts, storedMs }) => attempts > 0 && storedMs === undefined)) {
      found.storage ??= await diagnoseStorage();
    }
    if (receipts.some(isFailing)) this.#endSoon();
    if (receipts.some(isUnanswered)) {
      // Of the ingest, if the browser sends to it directly.
      const address = route.startsWith("/") ? undefined : new URL(dsnOfPage()).origin;
      if (navigator.onLine) found.isReachable ??= await isReachable(address);
    }
    const refused = receipts.find((receipt) => isRefused(receipt, route));
    // Of one that waits behind a refused one, its own bytes serve as well.
    const { envelope } = all.find(({ receipt }) => receipt === refused) ??
      all.find(({ receipt }) => receipt?.attempts === 0) ?? {};
    if (refused && envelope) found.refusal ??= await repeatRefusedPost(route, envelope.bytes);
  }

  /** The newest envelope of this page that fails. */
  #ahead(): Receipt | undefined {
    return snapshot().receipts.find(isFailing);
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
    const { phase, reason, recording: recorder, receipts } = snapshot();
    const { variant, route } = this.#options;
    const now = Date.now();
    const evidence: Evidence = { ...this.#signals };
    const evaluation = evaluateProof(evidence, {
      variant,
      route,
      phase,
      reason,
      recorder,
      refusedSegment: receipts.find(({ items, status = 0 }) =>
        status >= 300 && items.some(({ type }) => type === ITEM_TYPES.recording)
      ),
      ahead: this.#ahead(),
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
