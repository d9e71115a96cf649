import { formatCount, formatDuration } from "../../components/format.ts";
import { TimeAgo } from "../../components/Timestamp.tsx";
import type { ProfileRow } from "../../monitoring/models/rows.ts";
import { queryOf } from "../data/filters.ts";
import { fragmentTo, useFragment } from "../data/fragment.ts";
import { useList } from "../data/lists.ts";
import { RowList } from "../kit/RowList.tsx";
import { sortParam } from "../kit/sort.ts";
import type { Column } from "../kit/Table.tsx";

/** The list of profiles. @param props.openKey id of the one that is open */
export function ProfileList({ openKey }: { openKey: string | undefined }) {
  const { params } = useFragment();
  const sort = sortParam(params, "profiles");
  const order = sort ?? "-started_at";
  const list = useList("profiles", { ...queryOf(params, "profiles"), sort: order });
  return (
    <RowList
      of="profiles"
      list={list}
      columns={COLUMNS}
      caption={sort === undefined ? "Profiles, newest first" : "Profiles"}
      sort={order}
      keyOf={({ profile_id }) => profile_id}
      hrefOf={({ profile_id }) => fragmentTo("profiles", [profile_id], Object.fromEntries(params))}
      openKey={openKey}
      hint={HINT}
      empty={
        <>
          <p>
            <b>No profiles received.</b>
          </p>
          {HINT}
        </>
      }
    />
  );
}

const HINT = (
  <p>
    Your application profiles with <code>profiles_sample_rate=1.0</code> in Python, or with{" "}
    <code>profileSessionSampleRate: 1, profileLifecycle: "trace"</code> and{" "}
    <code>browserProfilingIntegration()</code> or <code>nodeProfilingIntegration()</code>{" "}
    in JavaScript. A page is profiled if it is served with{" "}
    <code>Document-Policy: js-profiling</code>.
  </p>
);

export const SESSION = "Profiler session";

/** The name of a row: of its transaction, or of the longest span of its session. */
export const profileName = ({ name, of }: Pick<ProfileRow, "name" | "of">) =>
  name ?? (of === "session" ? SESSION : "(no name)");

const COLUMNS: readonly Column<ProfileRow>[] = [
  {
    title: "Profile",
    cell: (row, link) => (
      <>
        {link(profileName(row))}
        {row.of === "session" && row.spans > (row.name === null ? 0 : 1) && (
          <small className="quiet wide" title="Of its main thread’s, the longest is named">
            {row.name === null
              ? ` of ${formatCount(row.spans, "request")}`
              : ` and ${formatCount(row.spans - 1, "other")}`}
          </small>
        )}
      </>
    ),
    aside: {
      title: "Application",
      applications: ({ application }) => [application],
      cell: ({ release }) => release,
    },
  },
  {
    title: "Most self time",
    tip:
      "The function that ran in most samples itself, without what it called, and its part of all samples",
    width: 18,
    isWide: true,
    cell: ({ top }) =>
      top && (
        <span className="one-line" title={top.file ?? undefined}>
          <code>{top.function}</code> <small>{percent(top.share)}</small>
        </span>
      ),
  },
  {
    title: "Samples",
    tip: "On the main thread",
    width: 6,
    numeric: true,
    isWide: true,
    by: "samples",
    cell: ({ samples }) => samples.toLocaleString("en"),
  },
  {
    title: "Duration",
    tip: "From the first sample to the last one",
    width: 6,
    numeric: true,
    by: "duration",
    cell: ({ started_at, ended_at }) => formatDuration(ended_at - started_at),
  },
  {
    title: "Started",
    width: 6.5,
    by: "started_at",
    cell: ({ started_at }) => <TimeAgo at={started_at} />,
  },
];

/** A part of a whole. */
export const percent = (share: number) => `${Math.round(share * 100)} %`;
