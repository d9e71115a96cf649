import { digest } from "../digest.ts";
import { textAt } from "../json.ts";
import type { PlainAttributes } from "./otlp_values.ts";
import { readStackText } from "./stack_text.ts";

/** An exception: an event of a span, or a log record. */
export interface OtlpException {
  readonly attributes: PlainAttributes;
  readonly resource: PlainAttributes;
  /** Seconds since 1970; undefined: not sent. */
  readonly timestamp: number | undefined;
  /** Of a log, as sent. */
  readonly level: string;
  readonly trace_id: string | null;
  readonly span_id: string | null;
  /** Name of the span, if it is known. */
  readonly transaction?: string;
}

/** Sentry's names of languages: https://develop.sentry.dev/sdk/data-model/event-payloads/#required-attributes */
const PLATFORMS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(["elixir", "go", "java", "php", "python", "ruby"].map((one) => [one, one])),
  "deno-rust": "javascript",
  dotnet: "csharp",
  nodejs: "node",
  webjs: "javascript",
};

/** In these languages Sentry's SDKs send the name of a class and its package apart. */
const PACKAGED: ReadonlySet<string> = new Set(["java", "python"]);

const PREFIX = "exception.";

/** Whether an event of a span or a log record is one. */
export const isException = (name: unknown, attributes: PlainAttributes): boolean =>
  name === "exception" ||
  ["exception.type", "exception.message", "exception.stacktrace"].some((key) =>
    textAt(attributes, key) !== null
  );

/** An exception as an event of Sentry, so that it is read, grouped and shown as any other. */
export function eventOfException(exception: OtlpException) {
  const { attributes, resource, timestamp, level, trace_id, span_id } = exception;
  const platform = textAt(PLATFORMS, textAt(resource, "telemetry.sdk.language") ?? "") ?? "other";
  const text = textAt(attributes, "exception.stacktrace") ?? "";
  const printed = readStackText(text);
  const causes = printed.slice(0, -1);
  const outermost = {
    type: textAt(attributes, "exception.type") || printed.at(-1)?.type || "Error",
    value: textAt(attributes, "exception.message") ?? printed.at(-1)?.value ?? "",
    frames: printed.at(-1)?.frames ?? [],
  };
  const values = [...causes, outermost].map(({ type, value, frames }) => ({
    ...splitType(type, platform),
    value,
    ...frames.length > 0 && { stacktrace: { frames } },
    mechanism: { type: "otel", handled: handledOf(attributes["exception.escaped"]) },
  }));
  const extra = Object.entries(attributes).filter(([name]) =>
    !name.startsWith(PREFIX) || (name === "exception.stacktrace" && printed.length === 0)
  );
  return {
    event_id: exceptionId(exception, outermost),
    timestamp,
    level,
    platform,
    exception: { values },
    contexts: { ...trace_id !== null && { trace: { trace_id, span_id } }, resource },
    transaction: exception.transaction,
    release: textAt(resource, "service.version"),
    environment: textAt(resource, "deployment.environment.name") ??
      textAt(resource, "deployment.environment"),
    server_name: textAt(resource, "host.name"),
    extra: Object.fromEntries(extra),
  };
}

/** Around the code that threw. */
export const MAX_LAYERS = 20;

/**
 * The events without those that each layer around the code that threw recorded again, in its own span.
 *
 * @param parents of spans, by their ids
 */
export function innermost(
  all: readonly ReturnType<typeof eventOfException>[],
  parents: ReadonlyMap<string | null, string | null>,
) {
  const repeated = new Set<unknown>();
  const alike = Map.groupBy(all, ({ contexts: { trace }, exception }) => {
    const { type, value } = exception.values.at(-1)!;
    return JSON.stringify([trace?.trace_id, type, value]);
  });
  for (const events of alike.values()) {
    const bySpan = new Map(events.map((event) => [event.contexts.trace?.span_id ?? null, event]));
    for (const [span, { timestamp = 0 }] of bySpan) {
      let layer = span;
      for (let n = 0; n < MAX_LAYERS && layer !== null; n++) {
        layer = parents.get(layer) ?? null;
        const outer = bySpan.get(layer);
        if (outer && Math.abs((outer.timestamp ?? 0) - timestamp) <= 1) repeated.add(outer);
      }
    }
  }
  return all.filter((event) => !repeated.has(event));
}

function splitType(type: string, platform: string) {
  const [, module, name] = (PACKAGED.has(platform) && /^(.+)\.([^.]+)$/.exec(type)) || [];
  return name === undefined ? { type } : { type: name, module };
}

/** Python's SDK sends texts, and "False" for what escapes, too. */
function handledOf(escaped: unknown): boolean | null {
  if (escaped === true || escaped === "True" || escaped === "true") return false;
  return escaped === false ? true : null;
}

/** Hex digits of an id that are the same for one exception in one span; then the time in microseconds. */
export const SAME_DIGITS = 14;
const TIME_DIGITS = 18;
/** Microseconds between the two records of one exception. */
const SAME_WITHIN = 1_000_000;

/** The same for the same bytes. */
function exceptionId(
  { trace_id, span_id, timestamp }: OtlpException,
  { type, value }: { readonly type: string; readonly value: string },
): string {
  const same = digest([trace_id ?? "", span_id ?? "", type, value]);
  return same + timeDigits(Math.round((timestamp ?? 0) * 1_000_000));
}

const timeDigits = (microseconds: number) =>
  Math.max(0, microseconds).toString(16).padStart(TIME_DIGITS, "0");

/**
 * An exception may be sent as an event of a span and as a log record: these are the first and the last id that its other
 * record may have.
 *
 * @param id of an event that {@linkcode eventOfException} made
 */
export function idsOfSameException(id: string): readonly [first: string, last: string] {
  const same = id.slice(0, SAME_DIGITS);
  const time = Number.parseInt(id.slice(SAME_DIGITS), 16);
  return [same + timeDigits(time - SAME_WITHIN), same + timeDigits(time + SAME_WITHIN)];
}
