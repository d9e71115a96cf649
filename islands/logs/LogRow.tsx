import { memo } from "react";
import { shortId } from "../../components/format.ts";
import { Timestamp } from "../../components/Timestamp.tsx";
import type { StyleRun } from "../../monitoring/models/ansi.ts";
import type { LogRow as Log } from "../../monitoring/models/rows.ts";
import { fragmentTo } from "../shared/fragment.ts";
import { momentHref } from "../shared/use_recording_href.ts";
import { SourceLabel, useShowsSources } from "../shared/SourceLabel.tsx";
import { ellipsize } from "../shared/text.ts";
import { KeyValueList } from "../../components/KeyValueList.tsx";

/**
 * One log in the tree of logs: its line and, while it is expanded, its details.
 *
 * @param props.index in the list, from 0
 * @param props.isTabStop whether it is the row of the tree that is in the tab order
 */
export function LogRow({ log, index, isExpanded, isTabStop, onFocus, onToggle }: {
  log: Log;
  index: number;
  isExpanded: boolean;
  isTabStop: boolean;
  onFocus: () => void;
  onToggle: () => void;
}) {
  const { trace_id: trace } = log;
  const tabIndex = isTabStop ? 0 : -1;
  return (
    <>
      <div
        role="row"
        className="log-line"
        aria-level={1}
        aria-rowindex={index + 2}
        aria-expanded={isExpanded}
        tabIndex={tabIndex}
        onFocus={onFocus}
        onClick={onToggle}
      >
        <LogCells log={log} />
        <span role="gridcell" className="trace-link">
          {trace && (
            <a
              href={traceHref(log, trace)}
              tabIndex={tabIndex}
              title={trace}
              aria-label={`Trace ${shortId(trace)}`}
              onClick={(event) => event.stopPropagation()}
            >
              {shortId(trace)}
            </a>
          )}
        </span>
      </div>
      {isExpanded && (
        <div role="row" aria-level={2}>
          <div role="gridcell">
            <LogDetails log={log} />
          </div>
        </div>
      )}
    </>
  );
}

const LogCells = memo(function LogCells({ log }: { log: Log }) {
  const { message, attributes } = summarizeLog(log);
  const showsSources = useShowsSources();
  const { body, styles } = log;
  return (
    <>
      <span role="gridcell" className="at">
        <Timestamp at={log.at} precision="ms" />
      </span>
      <span role="gridcell" className="lv">
        <span className={`level ${log.level}`}>
          <i aria-hidden="true" />
          {log.level}
        </span>
      </span>
      {showsSources && (
        <span role="gridcell" className="log-source">
          <SourceLabel of={[log.source]} />
        </span>
      )}
      <span role="gridcell" className="log-message">
        {styles ? <StyledText text={ellipsize(body, ROW_CHARACTERS)} styles={styles} /> : message}
      </span>
      <span role="gridcell" className="log-attributes">
        {attributes.map((attribute) => <small key={attribute}>{`${attribute} `}</small>)}
      </span>
    </>
  );
});

/** A log as the list has it. Texts that are too long for the list are complete in the envelope. */
function LogDetails({ log }: { log: Log }) {
  const { trace_id: trace, replay_id } = log;
  const time = new Date(log.at);
  return (
    <div className="log-details">
      <pre>
        <StyledText text={log.body} styles={log.styles ?? []} />
      </pre>
      <p className="links">
        {trace && (
          <>
            <a href={traceHref(log, trace)}>Open trace</a>
            <a href={fragmentTo("logs", [], { trace })}>Logs of this trace</a>
          </>
        )}
        {replay_id !== null && <a href={momentHref(replay_id, log.at)}>Play at this moment</a>}
        <a href={fragmentTo("envelopes", [String(log.envelope)])}>Open envelope</a>
      </p>
      <KeyValueList
        entries={[
          {
            name: "Time",
            value: <code>{Number.isNaN(time.getTime()) ? "unknown" : time.toISOString()}</code>,
          },
          ...listAttributes(log).map(({ name, value }) => ({
            name: <code>{name}</code>,
            value: <code>{value}</code>,
          })),
        ]}
      />
    </div>
  );
}

/** A text in the colours and styles that its program gave it for a terminal. */
function StyledText({ text, styles }: { text: string; styles: readonly StyleRun[] }) {
  const runs = [[0, ""] as const, ...styles, [text.length, ""] as const];
  return runs.slice(0, -1).map(([at, names], index) => {
    const part = text.slice(at, runs[index + 1]![0]);
    // A prefix, so that a name is no class of another rule.
    const className = names.split(" ").map((name) => `sgr-${name}`).join(" ");
    return part && (names === "" ? part : <span key={index} className={className}>{part}</span>);
  });
}

function traceHref({ span_id: span }: Log, trace: string): string {
  return fragmentTo("traces", [trace], { span: span ?? undefined });
}

/** Characters of a message in its row, which is one line: more than any screen shows. */
const ROW_CHARACTERS = 400;
/** Attributes in the row, after the message. */
const ROW_ATTRIBUTES = 4;

/** Attributes that SDKs add to every log. */
const ADDED_BY_SDK =
  /^(sentry|browser|os|device|server|user_agent|process|host|service|telemetry|code|culture|user)\./;

/** The message as one line, and the first attributes of the log itself. */
export function summarizeLog({ body, attributes }: Log): {
  readonly message: string;
  readonly attributes: readonly string[];
} {
  const own = Object.entries(attributes).filter(([name]) => !ADDED_BY_SDK.test(name));
  return {
    message: toOneLine(body, ROW_CHARACTERS),
    attributes: own.slice(0, ROW_ATTRIBUTES).map(([name, value]) =>
      toOneLine(`${name}=${value}`, ROW_CHARACTERS / ROW_ATTRIBUTES)
    ),
  };
}

/** All attributes by name; those that the SDK added last. */
export function listAttributes(
  { attributes }: Log,
): readonly { readonly name: string; readonly value: string }[] {
  return Object.entries(attributes)
    .map(([name, value]) => ({ name, value: String(value), isAdded: ADDED_BY_SDK.test(name) }))
    .sort((a, b) => Number(a.isAdded) - Number(b.isAdded) || (a.name < b.name ? -1 : 1));
}

function toOneLine(text: string, maxLength: number): string {
  return ellipsize(text, maxLength).replace(/\s+/g, " ");
}
