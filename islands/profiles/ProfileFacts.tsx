import { useMemo } from "react";
import { formatCount, formatDuration } from "../../components/format.ts";
import { KeyValueList } from "../../components/KeyValueList.tsx";
import { callersAndCalls, type FunctionRow } from "../../monitoring/models/profile/call_tree.ts";
import {
  type CallTree,
  placeOf,
  type ProfileContent,
} from "../../monitoring/models/profile/profile_content.ts";
import { changeParams, fragmentTo, linkTo } from "../data/fragment.ts";
import { CopyId } from "../kit/CopyButton.tsx";
import { type DrawnBar, kindOf, spanHref } from "./ProfileFlame.tsx";
import { percent } from "./ProfileList.tsx";

/** Spans of a session that are offered. */
const MAX_SPANS = 12;

const KINDS = { own: "own code", library: "library", native: "native code" };

/** What a profile belongs to, and the selected function. */
export function ProfileFacts({ profile, tree, rows, selected, onSelect }: {
  profile: ProfileContent;
  /** What is drawn: some calls of libraries are one. */
  tree: CallTree;
  rows: readonly FunctionRow[];
  selected: DrawnBar | undefined;
  onSelect: (frame: number) => void;
}) {
  const { row, span, spans, thread, threads, interval_ms, samples, start_ms } = profile;
  const inSpan = span === null
    ? 0
    : samples.filter(([at]) => at + start_ms >= span.start_ms && at + start_ms <= span.end_ms)
      .length;
  const isSession = row.of === "session" && span === null;
  return (
    <aside className="profile-facts" aria-label="Facts of the profile">
      {selected && <SelectedFunction {...{ tree, rows, selected, onSelect }} />}
      {span && (
        <section>
          <h4 className="line ends">
            Linked span <a href={spanHref(span)}>Open in trace</a>
          </h4>
          <KeyValueList
            entries={[
              { name: "Span", value: <>{span.op} {span.name}</> },
              { name: "Duration", value: formatDuration(span.end_ms - span.start_ms) },
              { name: "Samples in it", value: `${inSpan} of ${samples.length}` },
              { name: "Id", value: <CopyId id={span.span_id ?? ""} what="span id" /> },
              { name: "Trace", value: <CopyId id={span.trace_id} what="trace id" /> },
            ]}
          />
          {row.of === "session" && (
            <a href={fragmentTo("profiles", [row.profile_id])}>Whole session</a>
          )}
        </section>
      )}
      {isSession && spans.length > 0 && (
        <section>
          <h4>Profiled requests and tasks</h4>
          <ul className="ruled">
            {spans.slice(0, MAX_SPANS).map(({ name, trace_id, span_id, start_ms, end_ms }) => (
              <li key={`${trace_id} ${span_id}`} className="line ends">
                <a
                  className="one-line"
                  href={fragmentTo("profiles", [row.profile_id], {
                    trace: trace_id,
                    span: span_id ?? undefined,
                  })}
                >
                  {name}
                </a>
                <span>{formatDuration(end_ms - start_ms)}</span>
              </li>
            ))}
          </ul>
          {spans.length > MAX_SPANS && (
            <p className="small quiet">The longest of {formatCount(row.spans, "span")}</p>
          )}
        </section>
      )}
      <section>
        <h4>Profile</h4>
        <KeyValueList
          entries={[
            {
              name: "Thread",
              value: threads.length < 2 ? threads[0]?.name ?? thread : (
                <select
                  aria-label="Thread"
                  value={thread}
                  onChange={({ target }) => changeParams({ thread: target.value })}
                >
                  {threads.map(({ id, name, samples }) => (
                    <option key={id} value={id}>
                      {name ?? id}, {formatCount(samples, "sample")}
                    </option>
                  ))}
                </select>
              ),
            },
            {
              name: "Sampling",
              value: (
                <span title="By the median distance of two samples">
                  {Math.round(1_000 / interval_ms)} per second
                </span>
              ),
            },
            row.release !== null && { name: "Release", value: row.release },
            {
              name: "Kind",
              value: row.of === "session" ? "Session of a profiler" : "One transaction",
            },
          ]}
        />
        <p className="facts pad">
          <a href={linkTo("envelopes", [], { q: row.profile_id })}>Its envelopes</a>
          {row.trace_id && <a href={linkTo("traces", [row.trace_id])}>Trace</a>}
        </p>
      </section>
    </aside>
  );
}

/** A function: here, in the selected call, and in all calls; who called it, and what it calls. */
function SelectedFunction({ tree, rows, selected, onSelect }: {
  tree: CallTree;
  rows: readonly FunctionRow[];
  selected: DrawnBar;
  onSelect: (frame: number) => void;
}) {
  const { frame, samples: here, self, calls = 1 } = selected;
  const of = tree.frames[frame];
  const all = rows.find((row) => row.frame === frame);
  const { callers, called } = useMemo(() => callersAndCalls(tree, frame), [tree, frame]);
  const busy = rows.reduce((sum, { self }) => sum + self, 0);
  const time = (samples: number) => formatDuration(samples * tree.interval_ms);
  if (of === undefined) return null;
  const links = (found: typeof callers) =>
    found.map(({ frame, samples }) => (
      <div key={frame} className="line ends">
        <button type="button" className="bare one-line" onClick={() => onSelect(frame)}>
          <code>{tree.frames[frame]!.function}</code>
        </button>
        <small>{time(samples)}</small>
      </div>
    ));
  return (
    <section className="profile-function">
      <h4 className="line ends">
        <code>{of.function}</code> <small className="quiet">{KINDS[kindOf(of)]}</small>
      </h4>
      <p className="small quiet">
        <code>{placeOf(of)}</code>
      </p>
      <table>
        <caption className="vh">Time of {of.function}</caption>
        <thead>
          <tr>
            <td />
            <th scope="col" className="n">here</th>
            <th scope="col" className="n">in all</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">Total</th>
            <td className="n">{here !== undefined && time(here)}</td>
            <td className="n">{all && <b>{time(all.total)}, {percent(all.total / busy)}</b>}</td>
          </tr>
          <tr>
            <th scope="row">Self</th>
            <td className="n">{self !== undefined && time(self)}</td>
            <td className="n">{all && time(all.self)}</td>
          </tr>
          <tr>
            <th scope="row">Samples</th>
            <td className="n">{here}</td>
            <td className="n">{all && `${all.total} of ${busy}`}</td>
          </tr>
        </tbody>
      </table>
      {calls > 1 && (
        <p className="small quiet">Here: {formatCount(calls, "narrow call")} together</p>
      )}
      <KeyValueList
        entries={[
          callers.length > 0 && { name: "Called by", value: links(callers) },
          called.length > 0 && { name: "Calls", value: links(called) },
        ]}
      />
    </section>
  );
}
