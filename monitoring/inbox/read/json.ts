/** Reading JSON that a stranger wrote: nothing here throws, and only what has the right type comes back. */

import { timeAt } from "./fields.ts";

const decoder = new TextDecoder();

/** The value of a JSON payload, or undefined: it is no JSON, or nested beyond what the engine reads. */
export function parseJson(payload: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(payload));
  } catch {
    return undefined;
  }
}

/** The value if it is an array, else an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A trace id of zeros means "none" (https://www.w3.org/TR/trace-context/#trace-id). */
const HEX_ID = /^(?!0{32})[\da-f]{32}$/;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const SPAN_ID = /^(?!0{16})[\da-f]{16}$/;

/** An event's, trace's or recording's id. Sentry's are UUIDs written without dashes; some SDKs write them with. */
export function hexId(value: unknown): string | null {
  if (typeof value !== "string" || value.length > 36) return null;
  const lower = value.toLowerCase();
  const id = UUID.test(lower) ? lower.replaceAll("-", "") : lower;
  return HEX_ID.test(id) ? id : null;
}

/** A span's id: 16 hex digits, not all of them zero. */
export function spanId(value: unknown): string | null {
  if (typeof value !== "string" || value.length !== 16) return null;
  const id = value.toLowerCase();
  return SPAN_ID.test(id) ? id : null;
}

/**
 * A text for a row, or undefined if the value is none: at most `max` characters, the last one "…" where some were left
 * out; no control characters but line breaks and tabs, and no halves of characters, which SQLite's text cannot hold.
 */
export function tidyText(value: unknown, max: number): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.length > max ? value.slice(0, max - 1) + "…" : value;
  return text.toWellFormed().replace(/[^\P{Cc}\t\n\r]/gu, "\ufffd");
}

/** Before this there was no Sentry: a clock that says so is not set. */
const EARLIEST_MS = Date.UTC(2008, 0);
/** A clock that is further ahead than any time zone's mistake is not believed. */
const MAX_AHEAD_MS = 24 * 3_600_000;

/**
 * A time as Sentry's items write it, in whole milliseconds. Undefined: it is none, or it lies, being before all SDKs or
 * well after the envelope came.
 *
 * @param receivedAt when the envelope came, ms since 1970
 */
export function timeMs(value: unknown, receivedAt: number): number | undefined {
  const ms = Math.round(timeAt(value) ?? NaN);
  return ms >= EARLIEST_MS && ms <= receivedAt + MAX_AHEAD_MS ? ms : undefined;
}
