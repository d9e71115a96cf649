import type { ArrivedItem } from "./fixtures.ts";

/** A span as Sentry's span container carries it (`application/vnd.sentry.items.span.v2+json`). */
export interface Span {
  readonly name: string;
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_span_id?: string;
  readonly is_segment: boolean;
  /** Seconds since 1970. */
  readonly start_timestamp: number;
  readonly end_timestamp: number;
  readonly status: string;
  readonly attributes: Readonly<Record<string, { value: unknown } | undefined>>;
}

/** A log as Sentry's log container carries it (`application/vnd.sentry.items.log+json`). */
export interface Log {
  readonly level: string;
  readonly body: string;
  readonly trace_id: string;
  readonly timestamp: number;
  readonly attributes: Readonly<Record<string, { value: unknown } | undefined>>;
}

/** The parts of an error event that tests look at. */
export interface ErrorEvent {
  readonly event_id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly release?: string;
  readonly environment?: string;
  readonly request: { readonly url: string };
  readonly breadcrumbs?: readonly unknown[];
  readonly exception: {
    readonly values: readonly {
      readonly type: string;
      readonly value: string;
      readonly mechanism?: { readonly type: string; readonly handled: boolean };
    }[];
  };
  readonly contexts: {
    readonly trace: { readonly trace_id: string; readonly span_id: string };
    readonly react?: { readonly componentStack?: string };
  };
}

/** All spans in these items. */
export function spansOf(items: readonly ArrivedItem[]): readonly Span[] {
  return containers<Span>(items, "span");
}

/** All logs in these items. */
export function logsOf(items: readonly ArrivedItem[]): readonly Log[] {
  return containers<Log>(items, "log");
}

/** All error events in these items. */
export function errorsOf(items: readonly ArrivedItem[]): readonly ErrorEvent[] {
  return items.filter(({ type }) => type === "event").map((item) => item.json<ErrorEvent>());
}

/** The error event with this text in an exception's message. */
export function errorOf(items: readonly ArrivedItem[], text: string): ErrorEvent | undefined {
  return errorsOf(items).find(({ exception }) =>
    exception.values.some(({ value }) => value.includes(text))
  );
}

/** An entry of a client report (https://develop.sentry.dev/sdk/telemetry/client-reports/). */
export interface DiscardedEvents {
  readonly reason: string;
  readonly category: string;
  readonly quantity: number;
}

/** Quantities by `reason:category`, such as `{"backpressure:span": 3}`, summed over all client reports in these items. */
export function lossesOf(items: readonly ArrivedItem[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const item of items.filter(({ type }) => type === "client_report")) {
    const { discarded_events } = item.json<{ discarded_events: DiscardedEvents[] }>();
    for (const { reason, category, quantity } of discarded_events) {
      const key = `${reason}:${category}`;
      sums[key] = (sums[key] ?? 0) + quantity;
    }
  }
  return sums;
}

/** The span's operation, such as `http.client`. */
export function opOf({ attributes }: Span): string {
  return String(attributes["sentry.op"]?.value ?? "");
}

function containers<T>(items: readonly ArrivedItem[], type: string): T[] {
  return items.filter((item) => item.type === type)
    .flatMap((item) => item.json<{ items: T[] }>().items);
}
