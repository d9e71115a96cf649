import type { ReactNode } from "react";
import { formatCount, formatDuration } from "../../components/format.ts";
import { busySamples, type FunctionRow } from "../../monitoring/models/profile/call_tree.ts";
import {
  type CallTree,
  placeOf,
  type ProfileContent,
} from "../../monitoring/models/profile/profile_content.ts";
import { fragmentTo, linkTo, spanHref } from "../data/fragment.ts";
import { ParamSelect } from "../kit/FilterControls.tsx";
import { Part } from "../kit/Part.tsx";
import { Table } from "../kit/Table.tsx";
import { type DrawnBar, kindOf } from "./ProfileFlame.tsx";
import { percent } from "./ProfileList.tsx";

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
  const { row, span, spans, thread, threads } = profile;
  const hrefIn = (params: Record<string, string | undefined>) =>
    fragmentTo("profiles", [row.profile_id], params);
  return (
    <aside className="profile-facts" aria-label="Facts of the profile">
      {selected && <SelectedFunction {...{ tree, rows, selected }} busy={busySamples(profile)} />}
      {span && (
        <Part title="Linked span" beside={<a href={spanHref(span)}>Open in trace</a>}>
          <p className="line ends">
            <span>{span.op} {span.name}</span>
            <b>{formatDuration(span.end_ms - span.start_ms)}</b>
          </p>
          {row.of === "session" && <a href={hrefIn({})}>Whole session</a>}
        </Part>
      )}
      {span === null && row.of === "session" && spans.length > 0 && (
        <Part title="Profiled requests and tasks">
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
          {row.spans !== null && row.spans > MAX_SPANS && (
            <p className="small quiet">The longest of {formatCount(row.spans, "span")}</p>
          )}
        </Part>
      )}
      <Part
        title="Profile"
        beside={<a href={linkTo("envelopes", [], { q: row.profile_id })}>Its envelopes</a>}
      >
        <ParamSelect
          label="Thread"
          name="thread"
          value={thread}
          choices={threads.map(({ id, name, samples }) => [
            id,
            `${name ?? id}, ${formatCount(samples, "sample")}`,
          ])}
        />
      </Part>
    </aside>
  );
}

/** A function: here, in the selected call, and in all calls. */
function SelectedFunction({ tree, busy, rows, selected }: {
  tree: CallTree;
  busy: number;
  rows: readonly FunctionRow[];
  selected: DrawnBar;
}) {
  const { frame, samples, self, calls = 1 } = selected;
  const of = tree.frames[frame];
  if (of === undefined) return null;
  const all = rows.find((row) => row.frame === frame);
  const time = (count: number | undefined) =>
    count === undefined ? "–" : formatDuration(count * tree.interval_ms);
  const lines: readonly (readonly ReactNode[])[] = [
    ["Total", time(samples), all && `${time(all.total)}, ${percent(all.total / busy)}`],
    ["Self", time(self), time(all?.self)],
    ["Samples", samples ?? "–", all && `${all.total} of ${busy}`],
  ];
  return (
    <Part
      title={<code>{of.function}</code>}
      beside={<small className="quiet">{KINDS[kindOf(of)]}</small>}
    >
      <code className="small quiet">{placeOf(of)}</code>
      <Table
        caption={`Time of ${of.function}`}
        columns={[
          {
            title: "Figure",
            head: <span className="vh">Figure</span>,
            isHead: true,
            cell: ([name]) => name,
          },
          { title: "here", numeric: true, cell: ([, here]) => here },
          { title: "in all", numeric: true, cell: ([, , inAll]) => inAll },
        ]}
        rows={lines}
        keyOf={([name]) => String(name)}
      />
      {calls > 1 && `Here: ${formatCount(calls, "narrow call")} together`}
    </Part>
  );
}
