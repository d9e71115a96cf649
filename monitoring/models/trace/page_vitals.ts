import { at, hexId, plausibleTime, tidyText } from "../json.ts";
import { spanName } from "./trace_name.ts";
import { readVitals, type VitalName } from "./web_vitals.ts";

/** The vitals of the table of pages, in the order of its columns. */
export const PAGE_VITALS = ["lcp", "inp", "cls", "fcp", "ttfb"] as const satisfies VitalName[];

export type PageVital = (typeof PAGE_VITALS)[number];

/** The web vitals of one page in one envelope: of its load, or measured later. */
export interface VitalsEntry extends Readonly<Record<PageVital, number | null>> {
  readonly trace_id: string;
  /** Name of the page load or navigation: its route, or its path. Of a vital sent later also a placeholder. */
  readonly page: string;
  /** Whether it is the load itself. */
  readonly is_load: boolean;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Characters. */
const MAX_PAGE = 200;

/**
 * Reads the vitals of a page load: of a `transaction`, of a streamed span, or of a single span that the SDK sends for
 * one vital. Undefined: the span has none and is no page load, or its page is not known.
 *
 * @param payload of a transaction, or the span
 * @param receivedAt replaces a missing or implausible time, milliseconds since 1970
 */
export function vitalsEntry(
  type: "transaction" | "span",
  payload: unknown,
  receivedAt: number,
): VitalsEntry | undefined {
  const span = type === "span" ? payload : at(payload, "contexts", "trace");
  const attributes = at(span, "attributes") ?? at(span, "data");
  const attribute = (name: string) => at(attributes, name, "value") ?? at(attributes, name);
  const isSegment = type === "transaction" || at(span, "is_segment") === true;
  const op = tidyText(at(span, "op") ?? attribute("sentry.op"), MAX_PAGE) ?? null;
  const is_load = isSegment && op === "pageload";
  const vitals = readVitals(payload, attributes, { start_ms: null, end_ms: null });
  if (vitals.length === 0 && !is_load) return undefined;
  const trace_id = hexId(at(span, "trace_id"));
  const sent = tidyText(
    type === "transaction"
      ? at(payload, "transaction")
      : attribute("sentry.segment.name") ?? attribute("transaction") ??
        (isSegment ? at(span, "name") : undefined),
    MAX_PAGE,
  );
  if (trace_id === null || !sent) return undefined;
  const page = isSegment ? spanName(sent, op, span, at(payload, "request")) : sent;
  const valueOf = (name: PageVital) => vitals.find((vital) => vital.name === name)?.value ?? null;
  return {
    trace_id,
    page,
    is_load,
    at: plausibleTime(at(payload, "start_timestamp"), receivedAt) ?? receivedAt,
    lcp: valueOf("lcp"),
    inp: valueOf("inp"),
    cls: valueOf("cls"),
    fcp: valueOf("fcp"),
    ttfb: valueOf("ttfb"),
  };
}
