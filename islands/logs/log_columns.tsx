import { ellipsize, shortId } from "../../components/format.ts";
import { Timestamp } from "../../components/Timestamp.tsx";
import { parseJson } from "../../monitoring/models/json.ts";
import type { LogRow as Log } from "../../monitoring/models/log_row.ts";
import type { Column } from "../kit/Table.tsx";
import { type NamedValue, RowValues } from "../kit/ValueLinks.tsx";
import { linkTo } from "../data/fragment.ts";
import { Level } from "./Level.tsx";

/** Characters of a message in its row, which is one line: more than any screen shows. */
const ROW_CHARACTERS = 400;
/** Attributes in the row, after the message; of the others their number. */
const ROW_ATTRIBUTES = 3;
/** Characters of each. */
const ROW_ATTRIBUTE = 200;

/** The address of a log's trace, with the span in which it was written. */
export function traceHref({ span_id: span }: Log, trace: string): string {
  return linkTo("traces", [trace], { span: span ?? undefined });
}

export const LOG_COLUMNS: readonly Column<Log>[] = [
  { title: "Time", width: 8, cell: ({ at }) => <Timestamp at={at} precision="ms" /> },
  {
    title: "Level",
    width: 6.5,
    cell: ({ level }) => (
      <RowValues values={[["level", level]]}>
        <Level level={level} />
      </RowValues>
    ),
  },
  {
    title: "Message",
    cell: (log, link) => {
      const { message, attributes, others } = summarizeLog(log);
      return (
        <>
          {link(message || "(empty)")}
          <span className="log-attributes one-line">
            {attributes.map(([name, value]) => (
              <RowValues key={name} values={[[name, value]]}>
                {ellipsize(`${name}=${value}`, ROW_ATTRIBUTE)}
              </RowValues>
            ))}
          </span>
          {others > 0 && (
            <small title="Further attributes, without those that SDKs add, such as user.id">
              +{others}
            </small>
          )}
        </>
      );
    },
    aside: { title: "Application", applications: ({ application }) => [application] },
  },
  {
    title: "Trace",
    width: 6,
    isWide: true,
    cell: (log) =>
      log.trace_id && (
        <a
          href={traceHref(log, log.trace_id)}
          title={log.trace_id}
          tabIndex={-1}
          aria-label={`Trace ${shortId(log.trace_id)}`}
        >
          {shortId(log.trace_id)}
        </a>
      ),
  },
];

/** Beside `sentry.*`: https://develop.sentry.dev/sdk/telemetry/logs/#default-attributes */
const ADDED_BY_SDK: ReadonlySet<string> = new Set(
  ("user.id user.name user.email browser.name browser.version user_agent.original server.address " +
    "os.name os.version device.brand device.model device.family process.pid process.executable.name " +
    "code.file.path code.function.name code.line.number").split(" "),
);
const isAdded = (name: string) => name.startsWith("sentry.") || ADDED_BY_SDK.has(name);

/** The message as one line, and of the attributes of the log itself the first ones and the number of others. */
export function summarizeLog({ body, attributes }: Log): {
  readonly message: string;
  readonly attributes: readonly (readonly [name: string, value: unknown])[];
  readonly others: number;
} {
  const own = Object.entries(attributes).filter(([name]) => !isAdded(name));
  return {
    message: ellipsize(errorsAsText(body), ROW_CHARACTERS).replace(/\s+/g, " "),
    attributes: own.slice(0, ROW_ATTRIBUTES),
    others: Math.max(0, own.length - ROW_ATTRIBUTES),
  };
}

/** How Sentry's JavaScript SDKs write an error that was logged by `console`. The end of a long message is cut. */
const ERROR =
  /\{"message":("(?:[^"\\]|\\.)*"),"name":("(?:[^"\\]|\\.)*"),"stack":"((?:[^"\\]|\\.)*)("\}|",|"?…?$)/g;

/** A message with its errors as text instead of JSON. @param withStack also their stack traces */
export function errorsAsText(body: string, withStack = false): string {
  return body.replace(ERROR, (found, message, name, stack, end) => {
    const stackJson = `"${stack.replace(/\\?…$/, "")}"`;
    const [text, type, frames] = [message, name, stackJson]
      .map((json) => parseJson(new TextEncoder().encode(json)));
    if (typeof text !== "string" || typeof type !== "string") return found;
    const title = `${type}: ${text}`;
    // In Firefox and Safari it has no title.
    const lines = withStack && typeof frames === "string" ? frames.replace(title, "").trim() : "";
    return `${title}${lines && `\n    ${lines}`}${end === '",' ? " {" : ""}`;
  });
}

/** All attributes by name; those that the SDK added last. */
export function listAttributes({ attributes }: Log): readonly NamedValue[] {
  return Object.entries(attributes)
    .sort(([a], [b]) => Number(isAdded(a)) - Number(isAdded(b)) || (a < b ? -1 : 1));
}
