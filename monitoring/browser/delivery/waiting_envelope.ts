import type { DataCategory } from "@sentry/core/browser";
import type { Receipt } from "../receipt.ts";
import type { EnvelopeMeta } from "./describe_envelope.ts";
import { categoryOf } from "./losses.ts";
import type { Answer } from "./send_envelope.ts";

/** An envelope that nobody has acknowledged or refused yet. */
export interface WaitingEnvelope {
  meta: EnvelopeMeta;
  /** Sentry's data categories of its items. */
  readonly categories: readonly DataCategory[];
  /** Not set: to be read from the store. */
  bytes?: Uint8Array;
  /** Resolves once the store has it, to whether it does; never rejects. */
  stored: Promise<boolean>;
  sending: boolean;
  /** Failures in a row in this tab. */
  failures: number;
  /** Milliseconds since the epoch. */
  notBefore: number;
  /** Tells the SDK what came of it: once, at the first answer. */
  settle(answer: SdkAnswer): void;
}

/** What Sentry's client and its recorder act upon. */
export interface SdkAnswer {
  readonly statusCode?: number;
  readonly headers?: Record<string, string | null> & {
    "x-sentry-rate-limits": string | null;
    "retry-after": string | null;
  };
}

/** Makes the entry of an envelope that is new to this tab. */
export function createWaitingEnvelope(
  meta: EnvelopeMeta,
  details: Pick<WaitingEnvelope, "bytes" | "stored" | "settle">,
): WaitingEnvelope {
  const categories = meta.items.map(({ type }) => categoryOf(type));
  return { meta, categories, sending: false, failures: 0, notBefore: 0, ...details };
}

/** The parts of an answer that a receipt shows. */
export type AnswerShown = Partial<Pick<Answer, "status" | "outcome" | "error">>;

/** The receipt of an envelope as things stand. */
export function receiptOf(
  { meta }: WaitingEnvelope,
  answer: AnswerShown,
  now: number,
): Receipt {
  const { id, eventId, createdAt: at, items, bytes, attempts } = meta;
  const { status, outcome, error } = answer;
  return {
    id: eventId ?? id,
    at,
    items,
    bytes,
    attempts,
    tookMs: now - at,
    status,
    outcome,
    error,
  };
}

/**
 * Names of the locks under which a tab sends an envelope: its own, and its recording's, so that only
 * one segment of a recording is sent at a time.
 */
export const lockNames = ({ meta: { id, lane } }: WaitingEnvelope) =>
  lane === undefined ? [id] : [lane, id];

/** Whether it reports losses. */
export const isReport = ({ meta: { items } }: WaitingEnvelope) =>
  items.some(({ type }) => type === "client_report");
