import { Id } from "../../components/Id.tsx";
import { LOG_LEVELS, type LogRow } from "../../monitoring/models/rows.ts";
import { ErrorBoundary } from "../shared/ErrorBoundary.tsx";
import { ListToolbar } from "../shared/ListToolbar.tsx";
import { changeParams, fragmentTo, useFragment } from "../shared/fragment.ts";
import { ListNotice } from "../shared/ListNotice.tsx";
import { useList, useSource } from "../shared/use_source.ts";
import { useMounted } from "../shared/telemetry.ts";
import { LogTree } from "./LogTree.tsx";

/**
 * The view of logs, newest first (`#/logs`).
 *
 * @param props.variant `inbox` or `relay`
 */
export default function Logs({ variant }: { variant: string }) {
  const mounted = useMounted();
  return (
    <ErrorBoundary what="The logs view">
      {mounted ? <LogList variant={variant} /> : <p className="empty">Loading logs.</p>}
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
        <LevelFilter level={level} onChange={(level) => changeParams({ level })} />
      </ListToolbar>
      {trace !== undefined && (
        <p className="filtered-by">
          <span>
            Only logs of trace <Id id={trace} />
          </span>
          <a href={fragmentTo("traces", [trace])}>Open the trace</a>
          <a href={fragmentTo("logs", [], { q, level })}>Show logs of all traces</a>
        </p>
      )}
      <ListNotice source={source} list={list} what="logs">
        <p>
          No logs received. <a href="#/">Generate one</a> of any level on the overview.
        </p>
      </ListNotice>
      {list.rows.length > 0 && (
        // Another filter is another tree: scrolled to its top, nothing expanded.
        <LogTree key={`${q} ${trace} ${level}`} rows={list.rows} more={list.more} />
      )}
    </>
  );
}

/** Selects the lowest level that is shown. */
function LevelFilter({ level, onChange }: {
  level: LogRow["level"] | undefined;
  onChange: (level: string) => void;
}) {
  return (
    <label className="filter">
      Level{" "}
      <select value={level ?? ""} onChange={({ target: { value } }) => onChange(value)}>
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
