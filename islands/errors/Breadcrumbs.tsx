import { formatCount, formatDuration } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";
import type { Breadcrumb } from "../../monitoring/models/error/breadcrumbs.ts";
import type { Bounded } from "../../monitoring/models/json.ts";
import { levelKind } from "./ErrorLevel.tsx";
import { LongText } from "./LongText.tsx";

/** Characters of a message that are shown at first. */
const MAX_MESSAGE = 300;
/** Characters of a category, a level or a name. */
const MAX_NAME = 40;

/**
 * The breadcrumbs of an error, oldest first, each with its distance from the error.
 *
 * @param props.errorAt time of the error, which is listed between them
 */
export function Breadcrumbs({ breadcrumbs: { shown, more }, errorAt }: {
  breadcrumbs: Bounded<Breadcrumb>;
  errorAt: number | null;
}) {
  if (shown.length === 0) return <p className="note">No breadcrumbs in the event.</p>;
  const firstAfter = shown.findIndex(({ offset }) => offset !== null && offset > 0);
  const errorIndex = firstAfter === -1 ? shown.length : firstAfter;
  return (
    <ol className="crumbs">
      {more > 0 && (
        <li>
          <small>{formatCount(more, "older breadcrumb")}: see the download.</small>
        </li>
      )}
      {shown.slice(0, errorIndex).map((crumb, index) => <Crumb key={index} crumb={crumb} />)}
      <li className="here">
        <Timestamp at={errorAt} precision="ms" />{" "}
        <span className="refused">
          <OutcomeMark kind="refused" />error
        </span>
      </li>
      {shown.slice(errorIndex).map((crumb, index) => (
        <Crumb key={errorIndex + index} crumb={crumb} />
      ))}
    </ol>
  );
}

function Crumb({ crumb }: { crumb: Breadcrumb }) {
  const { at, offset, category, level, message, data } = crumb;
  const kind = levelKind(level);
  return (
    <li>
      <span className="when">
        <Timestamp at={at} precision="ms" /> <small>{describeOffset(offset)}</small>
      </span>{" "}
      <span className={kind === "flows" ? undefined : kind}>
        {kind !== "flows" && <OutcomeMark kind={kind} />}
        <b>{category.slice(0, MAX_NAME).toWellFormed()}</b>
        {kind !== "flows" && ` ${level.slice(0, MAX_NAME)}`}
      </span>{" "}
      <span className="content">
        {message !== "" && <LongText text={message} max={MAX_MESSAGE} />}
        {data.map(([name, value], index) => (
          <span key={index} className="datum">
            <small>{name.slice(0, MAX_NAME).toWellFormed()}</small>{" "}
            <LongText text={value} max={MAX_MESSAGE} />
          </span>
        ))}
      </span>
    </li>
  );
}

/** @param offset milliseconds from the error */
function describeOffset(offset: number | null): string {
  if (offset === null) return "no time";
  return `${formatDuration(Math.abs(offset))} ${offset > 0 ? "after" : "before"}`;
}
