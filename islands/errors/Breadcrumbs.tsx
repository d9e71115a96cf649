import type { Breadcrumb } from "../../monitoring/models/error/breadcrumbs.ts";
import type { Bounded } from "../../monitoring/models/fields.ts";
import { formatCount } from "../../components/format/count.ts";
import { formatDuration } from "../../components/format/duration.ts";
import { LongText } from "./LongText.tsx";
import { Mark } from "../../components/Mark.tsx";
import { levelKind } from "./level.ts";
import { Moment } from "../../components/Moment.tsx";

/** Characters of a message or a category that are shown at first. */
const MAX_MESSAGE = 300;
const MAX_CATEGORY = 40;

/**
 * What happened around an error, as a line of time: the oldest first, each with its distance from the error.
 *
 * @param props.errorAt when the error happened; it stands in the line at its place
 */
export function Breadcrumbs({ breadcrumbs: { shown, more }, errorAt }: {
  breadcrumbs: Bounded<Breadcrumb>;
  errorAt: number | null;
}) {
  if (shown.length === 0) return <p className="note">None were sent with it.</p>;
  const after = shown.findIndex(({ offset }) => offset !== null && offset > 0);
  const place = after === -1 ? shown.length : after;
  return (
    <ol className="crumbs">
      {more > 0 && (
        <li>
          <small>{formatCount(more, "older one")}, in the download.</small>
        </li>
      )}
      {shown.slice(0, place).map((crumb, index) => <Crumb key={index} crumb={crumb} />)}
      <li className="here">
        <Moment at={errorAt} />{" "}
        <span className="refused">
          <Mark kind="refused" />the error
        </span>
      </li>
      {shown.slice(place).map((crumb, index) => <Crumb key={place + index} crumb={crumb} />)}
    </ol>
  );
}

function Crumb({ crumb }: { crumb: Breadcrumb }) {
  const { at, offset, category, level, message, data } = crumb;
  const kind = levelKind(level);
  return (
    <li>
      <span className="when">
        <Moment at={at} /> <small>{offsetInWords(offset)}</small>
      </span>{" "}
      <span className={kind === "flows" ? undefined : kind}>
        {kind !== "flows" && <Mark kind={kind} />}
        <b>{category.slice(0, MAX_CATEGORY).toWellFormed()}</b>
        {kind !== "flows" && ` ${level.slice(0, MAX_CATEGORY)}`}
      </span>{" "}
      <span className="says">
        {message !== "" && <LongText text={message} max={MAX_MESSAGE} />}
        {data.map(([name, value], index) => (
          <span key={index} className="datum">
            <small>{name.slice(0, MAX_CATEGORY).toWellFormed()}</small>{" "}
            <LongText text={value} max={MAX_MESSAGE} />
          </span>
        ))}
      </span>
    </li>
  );
}

function offsetInWords(offset: number | null): string {
  if (offset === null) return "no time";
  return `${formatDuration(Math.abs(offset))} ${offset > 0 ? "after" : "before"}`;
}
