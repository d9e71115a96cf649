import { Fragment, useState } from "react";
import { cutText, formatCount, formatDuration } from "../../components/format.ts";
import { Icon, type IconName } from "../../components/Icon.tsx";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";
import { type Breadcrumb, isOfSdk } from "../../monitoring/models/error/breadcrumbs.ts";
import type { ShownError } from "../../monitoring/models/error/error_content.ts";
import { linkTo } from "../data/fragment.ts";
import { describeCrumb } from "./describe_crumb.ts";
import { LongText } from "./LongText.tsx";

/** Characters of a message that are shown at first. */
const MAX_MESSAGE = 300;
/** Characters of a category, a level or a name. */
const MAX_NAME = 40;

/**
 * The breadcrumbs of an error, oldest first, each with its distance from the error, which is listed between them. Those
 * of the SDK itself are left out until a button is pressed.
 *
 * @param props.title of the error
 */
export function Breadcrumbs({ event, title }: { event: ShownError; title: string }) {
  const { breadcrumbs: { shown: all, more }, at, trace_id } = event;
  const [showsOfSdk, setShowsOfSdk] = useState(false);
  if (all.length === 0) return <p className="note">No breadcrumbs in the event.</p>;
  const others = all.filter((crumb) => !isOfSdk(crumb));
  const shown = showsOfSdk ? all : others;
  const firstAfter = shown.findIndex(({ offset }) => offset !== null && offset > 0);
  const errorIndex = firstAfter === -1 ? shown.length : firstAfter;
  const listItem = (crumb: Breadcrumb, key: number) => (
    <Crumb key={key} crumb={crumb} trace={trace_id} />
  );
  return (
    <>
      {others.length < all.length && (
        <button
          type="button"
          className="plain"
          aria-pressed={showsOfSdk}
          onClick={() => setShowsOfSdk(!showsOfSdk)}
        >
          Show Sentry's own ({all.length - others.length})
        </button>
      )}
      <ol className="crumbs">
        {more > 0 && (
          <li className="entry">
            <small>{formatCount(more, "older breadcrumb")}: see Copy, Download envelope.</small>
          </li>
        )}
        {shown.slice(0, errorIndex).map(listItem)}
        <li className="entry">
          <span className="when quiet">
            <Timestamp at={at} precision="ms" />
          </span>{" "}
          <span className="refused">
            <Icon name="errors" />
            {title}
          </span>
        </li>
        {shown.slice(errorIndex).map((crumb, index) => listItem(crumb, errorIndex + index))}
      </ol>
    </>
  );
}

function Crumb({ crumb, trace }: { crumb: Breadcrumb; trace: string | null }) {
  const { kind, request, status, level, span, data } = describeCrumb(crumb);
  const { at, offset, category, message } = crumb;
  const iso = at === null ? undefined : new Date(at).toISOString();
  const colour = kind === "flows" ? undefined : kind;
  return (
    <li className="entry">
      <time className="when quiet" dateTime={iso} title={iso}>{describeOffset(offset)}</time>{" "}
      <span className={`kind ${colour ?? ""}`}>
        <Icon name={crumbIcon(crumb)} />
        {colour && <OutcomeMark kind={kind} />}
        <b>{cutText(category, MAX_NAME)}</b>
        {level && ` ${cutText(level, MAX_NAME)}`}
      </span>{" "}
      <span className="content">
        {[message, request].filter(Boolean).map((text, index) => (
          <Fragment key={index}>
            <LongText text={text!} max={MAX_MESSAGE} />
            {" "}
          </Fragment>
        ))}
        {status !== null && <b className={colour}>{`${status} `}</b>}
        {data.map(([name, value], index) => (
          <span key={index}>
            <small>{cutText(name, MAX_NAME)}</small> <LongText text={value} max={MAX_MESSAGE} />
            {" "}
          </span>
        ))}
        {span !== null && trace !== null && (
          <a href={linkTo("traces", [trace], { span })}>Open span</a>
        )}
      </span>
    </li>
  );
}

/** https://docs.sentry.io/platforms/javascript/enriching-events/breadcrumbs/ has the categories. */
function crumbIcon({ category }: Breadcrumb): IconName {
  if (category.startsWith("ui.")) return "click";
  if (category === "navigation") return "navigation";
  if (/^(fetch|xhr|http.*)$/.test(category)) return "request";
  if (category === "exception" || category === "sentry.event") return "errors";
  return "logs";
}

/** @param offset milliseconds from the error */
function describeOffset(offset: number | null): string {
  if (offset === null) return "no time";
  return `${formatDuration(Math.abs(offset))} ${offset > 0 ? "after" : "before"}`;
}
