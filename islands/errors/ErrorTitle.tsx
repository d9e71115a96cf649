import { cutText } from "../../components/format.ts";
import { errorKind } from "../../components/outcome.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";
import { releasesInOrder } from "../../monitoring/models/application_rows.ts";
import type { ShownError } from "../../monitoring/models/error/error_content.ts";
import { errorTitle } from "../../monitoring/models/error/error_entry.ts";
import type { ErrorGroupRow } from "../../monitoring/models/error/error_row.ts";
import { useApplications, useList } from "../data/lists.ts";
import { SentBy } from "../kit/ApplicationLabel.tsx";
import { shortRelease } from "../kit/application_labels.ts";
import { ErrorLevel } from "./ErrorLevel.tsx";

/** Characters of the type and of the message in the heading: about two lines each. */
const MAX_TITLE = 200;

/** Type and message of an error, as its group has them. */
export function ErrorTitle({ event, group }: Known) {
  const { level, handled } = group ?? event;
  const { type, text } = titleOf(event, group);
  return (
    <span className="long-text">
      <span className={level === "error" ? errorKind(level, handled) : undefined}>{type}</span>
      {text.slice(type.length)}
    </span>
  );
}

/**
 * Who sent an error, from where and when, and how serious its group is.
 *
 * @param props.sender key of its application; undefined: not known
 */
export function ErrorFacts({ event, group, sender }: Known & { sender: string | undefined }) {
  const badges = group ?? { ...event, count: 1, unhandled: Number(event.handled === false) };
  return (
    <>
      {sender && <SentBy keys={[...new Set([sender, ...group?.applications ?? []])]} />}
      {group?.where && <code className="place">{cutText(group.where, MAX_TITLE)}</code>}
      <ErrorLevel of={badges} />
      {badges.unhandled > 0 && badges.unhandled < badges.count && event.handled !== null && (
        <span>this one {event.handled ? "handled" : "unhandled"}</span>
      )}
      {group && <NewIn group={group} release={new Map(event.facts).get("release")} />}
      {event.at === null
        ? "sent without a time"
        : <Timestamp at={event.at} precision="ms" isAsSent />}
    </>
  );
}

interface Known {
  readonly event: ShownError;
  /** Undefined: not known (yet). */
  readonly group: ErrorGroupRow | undefined;
}

/** Type of an error, and its heading: type and message in one line. */
export function titleOf(event: ShownError, group: ErrorGroupRow | undefined) {
  const type = cutText(group?.type ?? event.title, MAX_TITLE);
  return { type, text: titleLine(type, group?.value ?? event.value) };
}

/** Type and message in one line: of a message, the first line as far as a heading has room for it. */
function titleLine(type: string, value: string): string {
  const [line = ""] = value.split("\n", 1);
  const isWhole = line.length === value.length && value.length <= MAX_TITLE;
  const text = isWhole ? value : `${cutText(line, MAX_TITLE)}…`;
  return errorTitle({ type, value: text });
}

/**
 * Whether a group is new in a release: it has all stored errors of the group, and errors of the release before it are
 * stored. Nothing if it is not, or if that is not known.
 *
 * @param props.release of one of its errors
 */
function NewIn({ group, release }: { group: ErrorGroupRow; release: string | undefined }) {
  const sender = useApplications()?.rows.find(({ key }) => key === group.application);
  const releases = sender ? releasesInOrder(sender) : [];
  const before = releases[releases.indexOf(release ?? "") - 1];
  const { application } = group;
  const ofGroup = before === undefined ? undefined : { group: group.group, release, limit: 1 };
  const [ofRelease] = useList("errors", ofGroup).rows;
  const [earlier] = useList("errors", ofGroup && { application, release: before, limit: 1 }).rows;
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
