const NBSP = "\u00a0";

/**
 * A number with the word for what is counted: `1 envelope`, `12,400 envelopes`. English, like the page;
 * not by the reader's locale, so that build and browser write the same.
 *
 * @param n a whole number
 * @param one the word for one
 * @param many the word for any other number; the word for one with an s when left out
 *
 * @example
 * ```ts
 * import { formatCount } from "./count.ts";
 *
 * formatCount(2, "envelope"); // "2 envelopes"
 * ```
 */
export function formatCount(n: number, one: string, many = `${one}s`): string {
  const digits = String(n).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${digits}${NBSP}${n === 1 ? one : many}`;
}
