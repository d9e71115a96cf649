import { formatCount, formatDuration } from "../../components/format.ts";
import type { ProfileRow } from "../../monitoring/models/profile/profile_row.ts";
import { RowList } from "../kit/RowList.tsx";
import { shortRelease } from "../kit/application_labels.ts";
import { useSortedList } from "../kit/sort.ts";
import { type Column, numberColumn, timeColumn } from "../kit/Table.tsx";

/** The list of profiles. @param props.openKey id of the one that is open */
export function ProfileList({ openKey }: { openKey: string | undefined }) {
  const { list, sort, isUsual } = useSortedList("profiles", "-started_at");
  return (
    <RowList
      of="profiles"
      list={list}
      columns={COLUMNS}
      caption={isUsual ? "Profiles, newest first" : "Profiles"}
      sort={sort}
      openKey={openKey}
      hint={
        <p>
          Your application profiles with <code>profiles_sample_rate=1.0</code> in Python, or with
          {" "}
          <code>profileSessionSampleRate: 1, profileLifecycle: "trace"</code> and{" "}
          <code>browserProfilingIntegration()</code> or <code>nodeProfilingIntegration()</code>{" "}
          in JavaScript. A page is profiled if it is served with{" "}
          <code>Document-Policy: js-profiling</code>.
        </p>
      }
      empty={<b>No profiles received.</b>}
    />
  );
}

/** The name of a row: of its transaction, or of the longest span of its session and how many others there are. */
export function profileName({ name, of, spans }: ProfileRow) {
  const count = spans ?? 0;
  if (name !== null) return count > 1 ? `${name} and ${formatCount(count - 1, "other")}` : name;
  const session = `Profiler session${count > 0 ? ` of ${formatCount(count, "request")}` : ""}`;
  return of === "session" ? session : "(no name)";
}

const COLUMNS: readonly Column<ProfileRow>[] = [
  {
    title: "Profile",
    cell: (row, link) => link(profileName(row)),
    aside: {
      title: "Application",
      applications: ({ application }) => [application],
      cell: ({ release }) => release && <span title={release}>{shortRelease(release)}</span>,
    },
  },
  {
    title: "Most self time",
    tip:
      "The function that ran in most samples itself, without what it called, and its part of those in which any ran",
    width: 18,
    isWide: true,
    cell: ({ top }) =>
      top && (
        <span className="one-line" title={top.file ?? undefined}>
          <code>{top.function}</code> <small>{percent(top.share)} of {top.of}</small>
        </span>
      ),
  },
  numberColumn("Samples", ({ samples }) => samples, {
    ...{ tip: "Of the transaction’s or main thread", isWide: true, by: "samples" },
  }),
  {
    title: "Duration",
    tip: "From the first sample to the last one",
    width: 6,
    numeric: true,
    by: "duration",
    cell: ({ started_at, ended_at }) => formatDuration(ended_at - started_at),
  },
  timeColumn("Started", ({ started_at }) => started_at, { by: "started_at" }),
];

/** A part of a whole. */
export const percent = (share: number) => `${Math.round(share * 100)} %`;
