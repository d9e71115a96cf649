import { at, attributeAt, hexId, plausibleTime, tidyText } from "../json.ts";
import type { SentSpan } from "./sent_span.ts";
import { isPageOp, type PageOp, spanName } from "./trace_name.ts";
import { readVitals, type VitalName } from "./web_vitals.ts";

/** The vitals of the table of pages, in the order of its columns. */
export const PAGE_VITALS = ["lcp", "inp", "cls", "fcp", "ttfb"] as const satisfies VitalName[];

export type PageVital = (typeof PAGE_VITALS)[number];

/** Something for each of them. */
export type PageVitals<T> = Readonly<Record<PageVital, T>>;

export const pageVitals = <T>(valueOf: (name: PageVital) => T) =>
  Object.fromEntries(PAGE_VITALS.map((name) => [name, valueOf(name)])) as PageVitals<T>;

/**
 * The web vitals of one page in one envelope: of its load, of a navigation to it, or measured later. Milliseconds, CLS
 * without unit; null: not sent.
 */
export interface VitalsEntry extends PageVitals<number | null> {
  readonly trace_id: string;
  /** Name of the page load or navigation: its route, or its path. Of a vital sent later also a placeholder. */
  readonly page: string;
  /** Of the page's own span; null: the vital was sent by itself. */
  readonly op: PageOp | null;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Characters. */
const MAX_PAGE = 200;

/**
 * Reads the vitals of a page: of a `transaction`, of a streamed span, or of a single span that the SDK sends for one
 * vital. Undefined: the span has none and is not the page's own, or its page is not known.
 *
 * @param receivedAt replaces a missing or implausible time, milliseconds since 1970
 */
export function vitalsEntry(span: SentSpan, receivedAt: number): VitalsEntry | undefined {
  const { json, attributes, op, isSegment, transaction } = span;
  const pageOp = isSegment && isPageOp(op) ? op : null;
  const times = { start_ms: null, end_ms: null };
  const vitals = readVitals(transaction ?? json, attributes, times);
  if (vitals.length === 0 && pageOp === null) return undefined;
  const trace_id = hexId(at(json, "trace_id"));
  // A vital that was sent by itself has the name of an element.
  const ownName = pageOp !== null || transaction !== undefined && isSegment ? span.name : undefined;
  const name = transaction === undefined
    ? attributeAt(attributes, "sentry.segment.name") ?? attributeAt(attributes, "transaction") ??
      ownName
    : ownName;
  const sent = tidyText(name, MAX_PAGE);
  if (trace_id === null || !sent) return undefined;
  const page = isSegment ? spanName(sent, op, attributes, at(transaction, "request")) : sent;
  return {
    trace_id,
    page,
    op: pageOp,
    at: plausibleTime(span.start, receivedAt) ?? receivedAt,
    ...pageVitals((name) => vitals.find((vital) => vital.name === name)?.value ?? null),
  };
}
