import { type ReactNode, useState } from "react";
import { formatCount } from "../../components/format.ts";
import { Loading, ReadFailure } from "../../components/ReadFailure.tsx";
import { fragmentTo, useFragment } from "../data/fragment.ts";
import { Blank } from "./Blank.tsx";
import { SetFilters } from "./FilterControls.tsx";
import { InboxTokenForm } from "./InboxTokenForm.tsx";
import { useTelemetry } from "../data/telemetry.ts";
import { ALL, queryOf } from "../data/filters.ts";
import { clockOff, clockText } from "./application_labels.ts";
import { isAge, readTimeBound } from "../../monitoring/models/time_units.ts";
import { APPLICATIONS, type ListName } from "../../monitoring/models/list_query.ts";
import {
  type ApplicationRow,
  ofRelease,
  OWN_APPLICATION,
} from "../../monitoring/models/application_rows.ts";
import { useView } from "../data/view.ts";
import { type ConsoleList, isOwnOnly, useApplications, useList } from "../data/lists.ts";
import { useInboxState } from "../data/inbox_state.ts";
import { isRelay } from "../data/read.ts";

/** Parameters of the address that choose how rows are shown, not which. */
const SHAPES = new Set(["as", "sort", "show", "by", "every"]);
/** Lists with rows of Sightglass itself. */
const OWN: ReadonlySet<ListName | undefined> = new Set(
  ["traces", "errors", "logs", "pages", "endpoints", "recordings", "envelopes"] as const,
);

/**
 * A list's state other than its rows: loading, failed, access denied, or empty. Nothing if there are rows.
 *
 * @param props.what the list's rows: "envelopes"
 * @param props.hint how an application sends the first, if that needs more than its SDK
 * @param props.children shown if there are no rows at all: a paragraph
 */
export function ListNotice({ list, what, of, hint, children }: {
  list: ConsoleList<unknown>;
  what: string;
  of: ListName | undefined;
  hint?: ReactNode;
  children: ReactNode;
}) {
  const { state } = useInboxState();
  const { id: view } = useView();
  const { path, params } = useFragment();
  const isFiltered = [...params.keys()].some((name) => !SHAPES.has(name));
  const [authorized, setAuthorized] = useState(false);
  const { phase, waiting } = useTelemetry();
  const applications = useApplications();
  const hasOthers = applications !== undefined && !isOwnOnly(applications);

  if (state === "forbidden") return <InboxTokenForm onAuthorized={() => setAuthorized(true)} />;
  if (list.state === "failed") return <ReadFailure message={list.error} retry={list.retry} />;
  if (list.rows.length > 0) return null;
  if (list.state === "loading") return <Loading what={what} />;
  return (
    // Takes the focus from the token form, which was removed.
    <Blank ref={(place) => void (authorized && place?.focus())}>
      {isFiltered && (
        <>
          <p>
            <b>No {what} match the filter{list.more && " among those that are read"}.</b>
            {list.more && " Others were not searched yet."}
          </p>
          <SetFilters of={of} />
          {of === "traces" && <OtherSpans />}
        </>
      )}
      {!isFiltered && hasOthers && (
        <p>
          <b>No {what} of your applications.</b>
        </p>
      )}
      {!isFiltered && !hasOthers && phase !== "failed" && <p>{children}</p>}
      {!isFiltered && hint}
      {!isFiltered && !isRelay && OWN.has(of) && !!applications?.rows.length && (
        <p>
          Sightglass’s own {what} are not listed.{" "}
          <a href={fragmentTo(view, path, { application: OWN_APPLICATION.key })}>Show them</a>
        </p>
      )}
      {phase === "failed" && <p>No {what} of this session: telemetry failed, see Settings.</p>}
      {/* In relay mode the list is made from what this page sent, whatever the response. */}
      {waiting > 0 && !isRelay && (
        <p>
          {formatCount(waiting, "envelope")} of this browser not delivered yet.
        </p>
      )}
    </Blank>
  );
}

/** Leads from the status of what rows are named for to that of any span. */
function OtherSpans() {
  const { id: view } = useView();
  const { path, params } = useFragment();
  const { status, q = "", ...others } = Object.fromEntries(params);
  const code = status?.replace(/xx$/, "");
  if (code === undefined || code === status) return null;
  const search = `${q} status_code:${code}00..${code}99`.trim();
  return (
    <p>
      The status is that of the span that a row is named for.{" "}
      <a href={fragmentTo(view, path, { ...others, q: search })}>Search all spans</a>
    </p>
  );
}

/** States that the rows are those of Sightglass, or of senders that name no application. */
export function OnlyOwn() {
  const { application } = queryOf(useFragment().params);
  const list = useApplications();
  if (!list || !isOwnOnly(list) || application !== APPLICATIONS || isRelay) {
    return null;
  }
  return (
    <p className="filtered-by">
      <span>No application that names itself has sent anything so far.</span>
      <a href="#/connect">Connect your application</a>
    </p>
  );
}

/** Names the chosen servers of which rows may be outside the chosen time, as their clocks are wrong. */
export function ClocksOff({ of }: { of: ListName }) {
  const { params } = useFragment();
  const chosen = params.get("application");
  const from = params.get("since") ?? "";
  const since = readTimeBound(from, Date.now()) ?? -Infinity;
  const isFixed = params.has("until") || since > 0 && !isAge(from);
  const rows = useApplications()?.rows.map((one) => ofRelease(one, params.get("release")));
  const off = rows?.filter((one) =>
    clockOff(one) !== "" && [null, ALL, one.key].includes(chosen) &&
    (isFixed || one.clock_ms! < 0 && Date.now() + one.clock_ms! < since)
  );
  // Envelopes are listed by the time of receipt.
  return of !== "envelopes" &&
    off?.map((one) => <ClockOff key={one.key} of={of} application={one} />);
}

/** Nothing if it has sent no such row, or nothing at all in that time. */
function ClockOff({ of, application }: { of: ListName; application: ApplicationRow }) {
  const { since, until } = queryOf(useFragment().params);
  const query = { application: application.key, limit: 1 };
  const rows = [useList(of, query), useList("envelopes", { ...query, since, until })];
  return rows.every((list) => list.rows.length > 0) && (
    <p className="filtered-by">
      {clockText(application)} What it sent may be outside the chosen time.
    </p>
  );
}

/**
 * The button that loads further rows. At the end it stays, with the focus, and states that there are none.
 *
 * @param props.text the further rows: "Older envelopes"
 * @param props.more loads them; undefined: there are none
 */
export function MoreButton({ text, more }: { text: string; more: (() => void) | undefined }) {
  const [wasPressed, setPressed] = useState(false);
  if (!more && !wasPressed) return null;
  const press = () => {
    setPressed(true);
    more?.();
  };
  return (
    <button type="button" className="older" aria-disabled={!more} onClick={press}>
      {more ? text : `No ${text.toLowerCase()}.`}
    </button>
  );
}
