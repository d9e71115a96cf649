import { Fragment, type ReactNode, useState } from "react";
import { cutText, formatCount, formatDuration, formatNumber } from "../../components/format.ts";
import { Icon, type IconName } from "../../components/Icon.tsx";
import { errorKind } from "../../components/outcome.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { type Breadcrumb, isOfSdk } from "../../monitoring/models/error/breadcrumbs.ts";
import type { ShownError } from "../../monitoring/models/error/error_content.ts";
import { fragmentTo, spanHref } from "../data/fragment.ts";
import { ALL } from "../data/filters.ts";
import { Part } from "../kit/Part.tsx";
import { useTrace } from "../kit/PlayLink.tsx";
import { describeCrumb } from "./describe_crumb.ts";
import { LongText } from "./LongText.tsx";

/** Characters of a message that are shown at first. */
const MAX_MESSAGE = 300;
/** Characters of a category, a level or a name. */
const MAX_NAME = 40;

/** Breadcrumbs that are shown at first: the last ones. */
const MAX_FIRST = 8;
/** Seconds have two decimals below this distance. */
const MAX_PRECISE_MS = 100_000;

/**
 * The breadcrumbs of an error, oldest first, each with its distance from the error, which is listed between them. The
 * older ones, and those of the SDK itself, are left out until a button is pressed.
 */
export function Breadcrumbs({ event, title }: { event: ShownError; title: string }) {
  const { breadcrumbs: { shown: all, more }, trace_id } = event;
  const [showsAll, setShowsAll] = useState(false);
  const first = all.filter((crumb) => !isOfSdk(crumb)).slice(-MAX_FIRST);
  const shown = showsAll ? all : first;
  const firstAfter = shown.findIndex(({ offset }) => offset !== null && offset > 0);
  const errorIndex = firstAfter === -1 ? shown.length : firstAfter;
  const trace = useTrace(trace_id);
  const inTrace = new Set(trace?.tree.nodes.map(({ span }) => span?.span_id));
  // Others are of other traces, or were never sent.
  const linkOf = (span: string) =>
    inTrace.has(span)
      ? <a href={spanHref({ trace_id, span_id: span })}>Open span</a>
      : <a href={fragmentTo("traces", [], { q: span, application: ALL })}>Find span</a>;
  const listItem = (crumb: Breadcrumb, key: number) => (
    <Crumb key={key} crumb={crumb} linkOf={linkOf} />
  );
  return (
    <Part
      title="Breadcrumbs"
      beside={
        <>
          <small>
            {all.length === 0
              ? "none in the event"
              : `${formatNumber(shown.length)} of ${
                formatNumber(all.length + more)
              }, time from the error`}
          </small>
          {first.length < all.length && (
            <button
              type="button"
              className="plain end"
              aria-pressed={showsAll}
              onClick={() => setShowsAll(!showsAll)}
            >
              Show all {formatNumber(all.length)}
            </button>
          )}
        </>
      }
    >
      <ol className="crumbs" hidden={all.length === 0}>
        {showsAll && more > 0 && (
          <li className="entry">
            <small>{formatCount(more, "older breadcrumb")}: see More, Download envelope.</small>
          </li>
        )}
        {shown.slice(0, errorIndex).map(listItem)}
        <li className="entry">
          <span className="when quiet">0 s</span>{" "}
          <span className={errorKind(event.level, event.handled)}>
            <Icon name="errors" />
            {title}
          </span>
        </li>
        {shown.slice(errorIndex).map((crumb, index) => listItem(crumb, errorIndex + index))}
      </ol>
    </Part>
  );
}

function Crumb({ crumb, linkOf }: { crumb: Breadcrumb; linkOf: (span: string) => ReactNode }) {
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
        {span !== null && linkOf(span)}
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

/** @param offset milliseconds from the error: "−0.37 s" */
function describeOffset(offset: number | null): string {
  if (offset === null) return "no time";
  const distance = Math.abs(offset);
  const isPrecise = distance < MAX_PRECISE_MS;
  return `${offset > 0 ? "+" : "−"}${
    isPrecise ? `${(distance / 1000).toFixed(2)} s` : formatDuration(distance)
  }`;
}
