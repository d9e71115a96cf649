import { LOG_LEVELS, type LogRow } from "../../monitoring/models/rows.ts";
import { ErrorBoundary } from "../shared/ErrorBoundary.tsx";
import { ListToolbar } from "../shared/ListToolbar.tsx";
import { changeParams, fragmentTo, useFragment } from "../shared/fragment.ts";
import { ListNotice } from "../shared/ListNotice.tsx";
import { LogTree } from "./tree.tsx";
import { useList, useSource } from "../shared/use_source.ts";
import { useMounted } from "../shared/telemetry.ts";
import { Id } from "../../components/Id.tsx";

/**
 * Structured logs, newest first.
 *
 * @param props.variant `inbox` or `relay`
 */
export default function Logs({ variant }: { variant: string }) {
  const mounted = useMounted();
  return (
    <ErrorBoundary what="The list of logs">
      {mounted ? <LogList variant={variant} /> : <p className="empty">Reading logs.</p>}
    </ErrorBoundary>
  );
}

function LogList({ variant }: { variant: string }) {
  const source = useSource(variant);
  const { params } = useFragment();
  const q = params.get("q") ?? undefined;
  const trace = params.get("trace") ?? undefined;
  const level = LOG_LEVELS.find((level) => level === params.get("level"));
  const list = useList(source, "logs", { q, trace, level });

  return (
    <>
      <ListToolbar source={source} what="logs">
        <LevelFilter level={level} choose={(level) => changeParams({ level })} />
      </ListToolbar>
      {trace !== undefined && (
        <p className="narrowed">
          <span>
            Only logs of trace <Id id={trace} />
          </span>
          <a href={fragmentTo("traces", [trace])}>Open the trace</a>
          <a href={fragmentTo("logs", [], { q, level })}>Show logs of all traces</a>
        </p>
      )}
      <ListNotice source={source} list={list} what="logs">
        <p>
          No logs yet. <a href="#/">Make a signal</a>{" "}
          of any level on the overview, and it stands here a moment later.
        </p>
      </ListNotice>
      {list.rows.length > 0 && (
        // What is searched for anew begins at its top.
        <LogTree key={`${q} ${trace} ${level}`} rows={list.rows} more={list.more} />
      )}
    </>
  );
}

/** Chooses the least urgent level that is shown. */
function LevelFilter({ level, choose }: {
  level: LogRow["level"] | undefined;
  choose: (level: string) => void;
}) {
  return (
    <label className="filter">
      Level{" "}
      <select value={level ?? ""} onChange={({ target: { value } }) => choose(value)}>
        <option value="">all</option>
        {LOG_LEVELS.slice(1).map((level) => (
          <option key={level} value={level}>
            {level === "fatal" ? "fatal" : `${level} and above`}
          </option>
        ))}
      </select>
    </label>
  );
}
