import { ellipsize, formatCount, formatOffset } from "../../components/format.ts";
import { levelKind } from "../../components/outcome.ts";
import { Marked } from "../../components/OutcomeMark.tsx";
import type { Trace } from "../../monitoring/models/trace/trace.ts";
import { fragmentTo } from "../data/fragment.ts";
import { ApplicationTile } from "../kit/ApplicationLabel.tsx";

/** Logs below a waterfall; the view of logs has all of them. */
const SHOWN = 50;
/** Characters of a message: more than a line. */
const MAX_TEXT = 240;

/** The logs of a trace by their time, each with its application. */
export function TraceLogs({ trace: { marks, origin_ms }, traceId, applications, matches }: {
  trace: Trace;
  traceId: string;
  applications: ReadonlyMap<string, string>;
  /** Keys of those that the search found. */
  matches: ReadonlySet<string | null>;
}) {
  const logs = marks.filter(({ kind }) => kind === "log");
  if (logs.length === 0) return null;
  const shown = logs.slice(0, SHOWN);
  const severe = logs.filter(({ level }) => levelKind(level) !== "flows").length;
  return (
    <section className="trace-logs" aria-labelledby="trace-logs">
      <header className="facts">
        <h4 id="trace-logs">Logs of this trace</h4>
        <span className="quiet">
          {shown.length < logs.length && `${SHOWN} of `}
          {formatCount(logs.length, "log")}, {severe || "none"} at warning or above
        </span>
        <a className="end" href={fragmentTo("logs", [], { trace: traceId })}>Open in Logs</a>
      </header>
      <ul>
        {shown.map(({ key, at_ms, astray, level, text, application }) => {
          const sender = applications.get(application ?? "");
          return (
            <li key={key} className={matches.has(key) ? "beside match" : "beside"}>
              <span className="n quiet">{astray ? "–" : formatOffset(at_ms - origin_ms)}</span>
              <Marked kind={levelKind(level)} title={level}>
                <span className="vh">{level}</span>
              </Marked>
              {sender && (
                <span className="beside" title={sender}>
                  <ApplicationTile name={sender} />
                  <span className="vh">{sender}</span>
                </span>
              )}
              <code className="one-line">{ellipsize(text, MAX_TEXT)}</code>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
