import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import type { ErrorGroupRow } from "../../monitoring/models/error/error_row.ts";
import { useApplications, useList } from "../data/lists.ts";
import { shortRelease } from "../kit/application_labels.ts";

/**
 * Whether a group is new in a release: it has all stored errors of the group, and errors of the release before it are
 * stored. Nothing if it is not, or if that is not known.
 *
 * @param props.release of one of its errors
 */
export function NewIn({ group, release }: { group: ErrorGroupRow; release: string | undefined }) {
  const sender = useApplications()?.rows.find(({ key }) => key === group.application);
  const before = sender && release !== undefined
    ? releaseBefore(sender.releases, sender.releases_since, release)
    : undefined;
  const { application } = group;
  const queryIf = (query: { group: string } | { application: string }, release: string) =>
    before === undefined ? undefined : { ...query, release, limit: 1 };
  const [ofRelease] = useList("errors", queryIf({ group: group.group }, release ?? "")).rows;
  const [earlier] = useList("errors", queryIf({ application }, before ?? "")).rows;
  const isNew = before !== undefined && earlier !== undefined &&
    ofRelease?.group === group.group && ofRelease.count === group.count;
  if (!isNew) return null;
  return (
    <span
      className="waits filled"
      title={`All stored errors of the group are of this release. Errors of ${
        shortRelease(before)
      }, the release before it, are stored, too.`}
    >
      <OutcomeMark kind="waits" />
      new in {shortRelease(release!)}
    </span>
  );
}

/** The release that was first received before another one; undefined: none is stored. */
export function releaseBefore(
  releases: readonly string[],
  since: readonly number[],
  release: string,
): string | undefined {
  const start = since[releases.indexOf(release)] ?? -Infinity;
  const earlier = releases.map((name, index) => ({ name, at: since[index]! }))
    .filter(({ at }) => at < start);
  return earlier.sort((a, b) => b.at - a.at)[0]?.name;
}
