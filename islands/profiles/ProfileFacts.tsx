import { formatCount, formatDuration } from "../../components/format.ts";
import { KeyValueList } from "../../components/KeyValueList.tsx";
import type { FunctionRow } from "../../monitoring/models/profile/call_tree.ts";
import {
  type CallTree,
  placeOf,
  type ProfileContent,
} from "../../monitoring/models/profile/profile_content.ts";
import { changeParams, fragmentTo, linkTo } from "../data/fragment.ts";
import { type DrawnBar, kindOf, spanHref } from "./ProfileFlame.tsx";
import { percent } from "./ProfileList.tsx";

/** Spans of a session that are offered. */
const MAX_SPANS = 12;

const KINDS = { own: "own code", library: "library", native: "native code" };

/** What a profile belongs to, and the selected function. */
export function ProfileFacts({ profile, tree, rows, selected }: {
  profile: ProfileContent;
  /** What is drawn: some calls of libraries are one. */
  tree: CallTree;
  rows: readonly FunctionRow[];
  selected: DrawnBar | undefined;
}) {
  const { row, span, spans, thread, threads, interval_ms } = profile;
  const hrefIn = (params: Record<string, string | undefined>) =>
    fragmentTo("profiles", [row.profile_id], params);
  return (
    <aside className="profile-facts" aria-label="Facts of the profile">
      {selected && <SelectedFunction {...{ tree, rows, selected }} />}
      {span && (
        <section>
          <h4 className="line ends">
            Linked span <a href={spanHref(span)}>Open in trace</a>
          </h4>
          <p className="line ends">
            <span>{span.op} {span.name}</span>
            <b>{formatDuration(span.end_ms - span.start_ms)}</b>
          </p>
          {row.of === "session" && <a href={hrefIn({})}>Whole session</a>}
        </section>
      )}
      {span === null && row.of === "session" && spans.length > 0 && (
        <section>
          <h4>Profiled requests and tasks</h4>
          <ul className="ruled">
            {spans.slice(0, MAX_SPANS).map(({ name, trace_id, span_id, start_ms, end_ms }) => (
              <li key={`${trace_id} ${span_id}`} className="line ends">
                <a
                  className="one-line"
                  href={hrefIn({ trace: trace_id, span: span_id ?? undefined })}
                >
                  {name}
                </a>
                {formatDuration(end_ms - start_ms)}
              </li>
            ))}
          </ul>
          {row.spans > MAX_SPANS && (
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
              value: (
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
            { name: "Sampling", value: `${Math.round(1_000 / interval_ms)} per second` },
            {
              name: "Of",
              value: row.of === "session" ? "a profiler's session" : "one transaction",
            },
          ]}
        />
        <a href={linkTo("envelopes", [], { q: row.profile_id })}>Its envelopes</a>
      </section>
    </aside>
  );
}

/** A function: here, in the selected call, and in all calls. */
function SelectedFunction({ tree, rows, selected }: {
  tree: CallTree;
  rows: readonly FunctionRow[];
  selected: DrawnBar;
}) {
  const { frame, samples, self, calls = 1 } = selected;
  const of = tree.frames[frame];
  if (of === undefined) return null;
  const all = rows.find((row) => row.frame === frame);
  const busy = rows.reduce((sum, { self }) => sum + self, 0);
  const time = (count: number | undefined) =>
    count === undefined ? "–" : formatDuration(count * tree.interval_ms);
  const lines = [
    ["Total", time(samples), all && `${time(all.total)}, ${percent(all.total / busy)}`],
    ["Self", time(self), time(all?.self)],
    ["Samples", samples ?? "–", all && `${all.total} of ${busy}`],
  ];
  return (
    <section>
      <h4 className="line ends">
        <code>{of.function}</code> <small className="quiet">{KINDS[kindOf(of)]}</small>
      </h4>
      <code className="small quiet">{placeOf(of)}</code>
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
          {lines.map(([name, here, inAll]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className="n">{here}</td>
              <td className="n">{inAll}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {calls > 1 && `Here: ${formatCount(calls, "narrow call")} together`}
    </section>
  );
}
