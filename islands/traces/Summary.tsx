import type { ConsoleSource } from "../shared/source/source.ts";
import type { TraceSummary } from "../../monitoring/models/trace/trace.ts";
import { formatCount, formatFineDuration } from "../../components/format.ts";
import { Mark } from "../../components/Mark.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";

/**
 * The facts of a trace in a line, and below it what is not as it should be.
 *
 * @param props.scope `visit`: only the browser's half can be here
 */
export function Summary({ summary, startedAt, scope = "inbox" }: {
  summary: TraceSummary;
  startedAt: number;
  scope?: ConsoleSource["scope"] | undefined;
}) {
  const { spans, failed, errors, logs } = summary;
  return (
    <div className="trace-facts">
      <p>
        <b>{formatFineDuration(summary.duration_ms)}</b>
        <span>
          from <Timestamp at={startedAt} />
        </span>
        <span>
          {formatCount(spans, "span")}
          {madeIn(summary)}
        </span>
        <span className={failed + errors > 0 ? "refused" : undefined}>
          {failed + errors > 0 && <Mark kind="refused" />}
          {formatCount(errors, "error")}
          {failed > 0 && `, ${formatCount(failed, "failed span")}`}
        </span>
        <span>{formatCount(logs, "log")}</span>
        {summary.open > 0 && (
          <span className="flows">
            <Mark kind="flows" />live: {formatCount(summary.open, "span")} under way
          </span>
        )}
      </p>
      {oddities(summary, scope).map((oddity) => (
        <p key={oddity} className="waits">
          <Mark kind="waits" />
          {oddity}
        </p>
      ))}
    </div>
  );
}

function madeIn({ spans, browser, server }: TraceSummary): string {
  if (browser === spans) return ", all in the browser";
  if (server === spans) return ", all on the server";
  const unknown = spans - browser - server;
  return `: ${browser} in the browser, ${server} on the server${
    unknown > 0 ? `, ${unknown} unknown` : ""
  }`;
}

/** What a reader must know to read the picture right. */
export function oddities(
  { skew_ms, unended, missing, circles, duplicates }: TraceSummary,
  scope: ConsoleSource["scope"] = "inbox",
): string[] {
  const told: string[] = [];
  if (skew_ms !== 0) {
    const clock = skew_ms > 0 ? "behind" : "ahead of";
    told.push(
      `The server's clock is ${formatFineDuration(Math.abs(skew_ms))} ${clock} the browser's: ` +
        "its spans are drawn within the requests that they answered.",
    );
  }
  if (unended > 0) {
    told.push(
      `${formatCount(unended, "span")} came without an end, and ${
        unended === 1 ? "is" : "are"
      } drawn to the trace's end.`,
    );
  }
  if (missing > 0) {
    const parents = formatCount(missing, "parent");
    told.push(
      scope === "visit"
        ? `${parents} ${missing === 1 ? "is" : "are"} not of this visit: the server sends its own.`
        : `${parents} did not arrive.`,
    );
  }
  if (circles > 0) {
    told.push(
      `${formatCount(circles, "circle")} of parents ${circles === 1 ? "is" : "are"} broken.`,
    );
  }
  if (duplicates > 0) {
    told.push(`${formatCount(duplicates, "span")} came more than once; each is shown once.`);
  }
  return told;
}
