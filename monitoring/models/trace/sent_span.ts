import { at, attributeAt, listOf, textAt } from "../json.ts";

/** A span as an envelope has it, whichever of its three forms was sent. Untrusted. */
export interface SentSpan {
  /** The object with its ids and status. */
  readonly json: unknown;
  /** Plain values or `{value, type}`, see `attributeAt`. */
  readonly attributes: unknown;
  readonly name: unknown;
  readonly op: string | null;
  readonly start: unknown;
  readonly end: unknown;
  /** First span of a page or process. */
  readonly isSegment: boolean;
  /** Of the root span of a transaction: the event, which has its request and measurements. */
  readonly transaction?: unknown;
}

/**
 * The spans of an item: of a transaction its root span first; else many spans
 * (`application/vnd.sentry.items.span.v2+json`), or a single one in the older form, which has other names.
 *
 * https://develop.sentry.dev/sdk/data-model/event-payloads/transaction/
 */
export function sentSpans(type: "transaction" | "span", payload: unknown): SentSpan[] {
  if (type === "span") {
    const spans = at(payload, "items");
    return (Array.isArray(spans) ? spans : [payload]).map((span) => sentSpan(span));
  }
  const root = {
    ...sentSpan(at(payload, "contexts", "trace")),
    name: at(payload, "transaction"),
    start: at(payload, "start_timestamp"),
    end: at(payload, "timestamp"),
    transaction: payload,
  };
  // A child that ended after its request was sent, as of a cancelled one: a transaction of its own.
  const isLate = attributeAt(root.attributes, "sentry.parent_span_already_sent") === true;
  const children = listOf(at(payload, "spans"));
  return [
    { ...root, isSegment: !isLate },
    ...children.map((span) => ({ ...sentSpan(span), isSegment: false })),
  ];
}

function sentSpan(span: unknown): SentSpan {
  const attributes = at(span, "attributes") ?? at(span, "data");
  return {
    json: span,
    attributes,
    name: at(span, "name") ?? at(span, "description"),
    op: textAt(span, "op") ?? textAt(attributeAt(attributes, "sentry.op")),
    start: at(span, "start_timestamp"),
    end: at(span, "end_timestamp") ?? at(span, "timestamp"),
    isSegment: at(span, "is_segment") === true,
  };
}
