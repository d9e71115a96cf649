import { useRef } from "react";
import { breakable } from "../../components/breakable.tsx";
import { ellipsize } from "../../components/format.ts";
import { KeyValueList } from "../../components/KeyValueList.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";
import { rowKeyOf } from "../../monitoring/models/index/list_cursor.ts";
import type { LogRow as Log } from "../../monitoring/models/log_row.ts";
import type { TraceMark } from "../../monitoring/models/trace/trace_span.ts";
import { type ConsoleList, useApplications, useRowOf } from "../data/lists.ts";
import { Unread } from "../kit/Blank.tsx";
import { CopyMenu, DetailView } from "../kit/DetailView.tsx";
import { ValueLinks } from "../kit/ValueLinks.tsx";
import { fragmentTo, linkTo } from "../data/fragment.ts";
import { EventInTrace } from "../charts/EventInTrace.tsx";
import { PlayLink, useMoment } from "../kit/PlayLink.tsx";
import { SameTrace } from "../kit/SameTrace.tsx";
import { SentBy, valuesOf } from "../kit/ApplicationLabel.tsx";
import { Level } from "./Level.tsx";
import { errorsAsText, listAttributes, traceHref } from "./log_columns.tsx";

/** One log, as the list has it. Texts that are too long for the list are complete in the envelope. */
export function LogDetail({ logKey, list }: { logKey: string; list: ConsoleList<Log> }) {
  const reading = useRowOf("logs", logKey, list);
  const found = reading.row;
  // It stays when newer logs push it out of the list.
  const last = useRef(found);
  last.current = found ?? last.current;
  const log = last.current && list.keyOf(last.current) === logKey ? last.current : undefined;
  return (
    <DetailView
      className="log-detail"
      back="All logs"
      title={log ? titleOf(log) : "Log"}
      facts={log && (
        <>
          <Level level={log.level} />
          <Timestamp at={log.at} precision="ms" isAsSent />
          <SentBy keys={[log.application]} />
        </>
      )}
      actions={log && (
        <CopyMenu
          what="log"
          texts={{ "Copy message": () => errorsAsText(log.body, true) }}
          json={log}
        />
      )}
    >
      {log && <LogContent log={log} />}
      {!log && <Unread what="log" of={reading} />}
    </DetailView>
  );
}

/** Characters of a message in the heading. */
const MAX_TITLE = 200;

function titleOf({ body }: Log): string {
  const [line = ""] = errorsAsText(body, true).split("\n", 1);
  return ellipsize(line, MAX_TITLE) || "(empty)";
}

function LogContent({ log }: { log: Log }) {
  const { trace_id: trace, replay_id, at, envelope, index, body } = log;
  const sender = useApplications()?.rows.find(({ key }) => key === log.application);
  const markKey = `log:${rowKeyOf(envelope, index)}`;
  const isEvent = ({ key }: TraceMark) => key === markKey;
  const moment = useMoment(trace, isEvent, { at_ms: at, application: log.application });
  const message = errorsAsText(body, true);
  return (
    <>
      {message !== titleOf(log) && <pre>{message}</pre>}
      <div className="facts pad">
        {trace && (
          <>
            <a href={traceHref(log, trace)}>Open trace</a>
            <a href={fragmentTo("logs", [], { trace })}>Logs of this trace</a>
          </>
        )}
        <PlayLink replayId={replay_id} moment={moment} />
        <a href={linkTo("envelopes", [String(envelope)])}>Open envelope</a>
      </div>
      <KeyValueList
        entries={[
          ...sender ? valuesOf(sender) : [],
          ["level", log.level] as const,
          ...listAttributes(log),
          ...Object.entries(log.resource ?? {}),
        ].map(([name, value]) => ({
          name: <code>{breakable(name)}</code>,
          value: (
            <>
              <code>{breakable(String(value))}</code> <ValueLinks name={name} value={value} />
            </>
          ),
        }))}
      />
      {trace && (
        <>
          <EventInTrace
            traceId={trace}
            isEvent={isEvent}
            what="The log"
            href={traceHref(log, trace)}
          />
          <SameTrace
            isItself={isEvent}
            traceId={trace}
            level="trace"
          />
        </>
      )}
    </>
  );
}
