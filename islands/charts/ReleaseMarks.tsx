import { useMemo } from "react";
import {
  type ApplicationRow,
  clockOffMs,
  nameOf,
  OWN_APPLICATION,
} from "../../monitoring/models/application_rows.ts";
import { useApplications } from "../data/lists.ts";
import { useFragment } from "../data/fragment.ts";
import { shortRelease } from "../kit/application_labels.ts";

/** An application changed its release, or was started. */
interface ReleaseMark {
  /** When the first envelope of the release was received, by the clock of its server, or its process started; milliseconds since 1970. */
  readonly at: number;
  /** "shop-api 1.5.0"; of a start "shop-api started". Untrusted. */
  readonly text: string;
  /** "1.5.0"; undefined: a start. */
  readonly release?: string;
}

/** Percent of the width that a label needs: of marks that are closer, only the last one has its label. */
const LABEL_PERCENT = 14;

/** Percent of the width: nearer starts of an application have one mark, and none beside its release. */
const START_PERCENT = 1;

/**
 * Lines over a chart where an application changed its release, with labels above; triangles where it was started.
 *
 * @param props.application key of the only application that has marks; default: the chosen one, else all
 */
export function ReleaseMarks({ from, to, application }: {
  from: number;
  to: number;
  application?: string | undefined;
}) {
  const rows = useApplications()?.rows;
  const { params } = useFragment();
  const chosen = application ?? params.get("application");
  const environment = params.get("environment");
  const only = params.get("release");
  const marks = useMemo(
    () => releaseMarks(shownApplications(rows ?? [], chosen, environment), from, to, only),
    [rows, chosen, environment, from, to, only],
  );
  const percentOf = ({ at }: ReleaseMark) => (at - from) / (to - from) * 100;
  const labels = releaseLabels(marks, percentOf);
  return marks.map((mark) => {
    const { at, text, release } = mark;
    const [left, label] = [percentOf(mark), labels.get(mark)];
    const ofRelease = isLeft(left) ? "release-mark label-left" : "release-mark";
    return (
      <i
        key={`${at} ${text}`}
        className={release === undefined ? "start-mark" : ofRelease}
        style={{ left: `${left}%` }}
        title={release === undefined ? text : `First envelope of ${text}`}
      >
        {label && <span style={{ maxWidth: `calc(${label.room}cqi - 0.5rem)` }}>{label.text}</span>}
      </i>
    );
  });
}

/** The label is on the left of a line at this percent of the width. */
const isLeft = (percent: number) => percent > 50;

/** The labels of releases, and the percent of the width that each may take: two between their lines share it. */
export function releaseLabels(
  marks: readonly ReleaseMark[],
  percentOf: (mark: ReleaseMark) => number,
): ReadonlyMap<ReleaseMark, { readonly text: string; readonly room: number }> {
  const releases = marks.filter(({ release }) => release !== undefined);
  const nearOf = (mark: ReleaseMark) =>
    releases.filter((other) => Math.abs(percentOf(other) - percentOf(mark)) <= LABEL_PERCENT);
  const labelled = releases.filter((mark) => nearOf(mark).at(-1) === mark);
  return new Map(labelled.map((mark, index) => {
    const near = nearOf(mark);
    const isShared = near.length > 1 && near.every(({ release }) => release === mark.release);
    const left = percentOf(mark);
    const next = labelled[index + (isLeft(left) ? -1 : 1)];
    const end = next === undefined ? isLeft(left) ? 0 : 100 : percentOf(next);
    const isFaced = next !== undefined && isLeft(end) !== isLeft(left);
    const room = Math.abs(end - left) / (isFaced ? 2 : 1);
    return [mark, { text: isShared ? mark.release! : mark.text, room }];
  }));
}

/** The chosen application, else all but Sightglass; only of the environment, if there is one. */
export function shownApplications(
  rows: readonly ApplicationRow[],
  chosen: string | null,
  environment: string | null,
): readonly ApplicationRow[] {
  const only = rows.filter(({ key }) => key === chosen);
  return (only.length > 0 ? only : rows.filter(({ key }) => key !== OWN_APPLICATION.key))
    .filter((row) => !environment || row.environment === environment);
}

/**
 * When applications changed their release and were started, in order of time. Of the first release of an application
 * nothing changed.
 *
 * @param only the chosen release: starts are of all
 */
export function releaseMarks(
  rows: readonly ApplicationRow[],
  from: number,
  to: number,
  only: string | null = null,
): readonly ReleaseMark[] {
  // Its environments are one application here: a release is tried in one of them first.
  const applications = Map.groupBy(rows, nameOf);
  return [...applications].flatMap(([name, applications]) => {
    const since = new Map<string, number>();
    for (const row of applications) {
      for (const [index, release] of row.releases.entries()) {
        const at = row.releases_since[index]! + clockOffMs(row);
        since.set(release, Math.min(since.get(release) ?? Infinity, at));
      }
    }
    const changes = [...since].sort(([, a], [, b]) => a - b).slice(1)
      .filter(([full]) => only === null || full === only)
      .map(([full, at]): ReleaseMark => {
        const release = shortRelease(full);
        return { at, text: `${name} ${release}`, release };
      });
    const least = (to - from) * START_PERCENT / 100;
    const marks = [...changes];
    if (only !== null) return marks;
    for (const at of applications.flatMap(({ starts }) => starts)) {
      if (marks.some((mark) => Math.abs(mark.at - at) < least)) continue;
      marks.push({ at, text: `${name} started` });
    }
    return marks;
  }).filter(({ at }) => at >= from && at < to).sort((a, b) => a.at - b.at);
}
