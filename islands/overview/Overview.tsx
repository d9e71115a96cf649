import "../background_code.ts";
import { type Query, useIsFetching } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { Panel } from "../../components/Panel.tsx";
import {
  type ApplicationRow,
  labelsByKey,
  ofRelease,
  OWN_APPLICATION,
} from "../../monitoring/models/application_rows.ts";
import type { ErrorGroupRow } from "../../monitoring/models/error/error_row.ts";
import { APPLICATIONS } from "../../monitoring/models/list_query.ts";
import { queryOf } from "../data/filters.ts";
import { useFragment } from "../data/fragment.ts";
import type { ConsoleQuery } from "../data/inbox.ts";
import { InboxTokenForm } from "../kit/InboxTokenForm.tsx";
import { ListHead } from "../kit/ListHead.tsx";
import { Applications, type KnownApplication, stateOf } from "./Applications.tsx";
import { useNewestEnvelope } from "./Arrivals.tsx";
import { ConnectGuide } from "./ConnectGuide.tsx";
import { SlowestEndpoints } from "./Endpoints.tsx";
import { NeedsALook } from "./NeedsALook.tsx";
import { NOT_NAMED, reasonsOf } from "./reasons.ts";
import { RequestCharts, useUsedTime } from "./RequestCharts.tsx";
import { VitalsByPage } from "./VitalsByPage.tsx";
import { type ConsoleList, useApplicationsRead, useList } from "../data/lists.ts";
import { useInboxState } from "../data/inbox_state.ts";
import { client, LIVE } from "../data/queries.ts";

/** Applications that have a row, worst first, then those seen last. The overview has links to the others. */
const MAX_APPLICATIONS = 8;

/**
 * The applications that have sent something, and what they did in the chosen time, live; before anything has arrived
 * the guide to connect an application; or the form for the token. Inbox mode only.
 */
export default function Overview() {
  const { newest } = useNewestEnvelope();
  const { state } = useInboxState();
  const { params } = useFragment();
  const filters = queryOf(params);
  const { data: listed, failure } = useApplicationsRead();
  const all = listed?.rows;
  const applications = all?.filter((row) => isShown(row, filters));
  const hasOthers = applications !== undefined && applications.length > MAX_APPLICATIONS;
  const time = useUsedTime(filters);
  const charted = time && { ...filters, ...time.lists };
  const open = useList("errors", hasOthers && charted ? { ...charted, state: "open" } : undefined);
  // Runs of the last trace may start after it.
  const ofRuns = charted && { ...charted, until: filters.until };
  const endpoints = useList("endpoints", ofRuns);
  // A list has its first rows only: of the slowest not those that need a look.
  const compared = useList("endpoints", ofRuns && { ...ofRuns, sort: "-change" });
  const monitors = useList("monitors", charted);
  const comparedOf = Map.groupBy(compared.rows, ({ application }) => application);
  const ranked = applications?.map((row) => {
    const own = comparedOf.get(row.key) ?? [];
    const groups = open.rows.filter(({ applications }) => applications.includes(row.key))
      .map((group) => ({ ...group, handled: !group.unhandled_in.includes(row.key) }));
    return { row, own, state: stateOf({ reasons: reasonsOf(row, groups, own, monitors.rows) }) };
  }).toSorted((a, b) => a.state - b.state || b.row.last_seen - a.row.last_seen);
  const shown = ranked?.slice(0, MAX_APPLICATIONS);
  const [errors, setErrors] = useState<ReadonlyMap<string, ConsoleList<ErrorGroupRow>>>(new Map());
  const keepErrors = useCallback(
    (key: string, list: ConsoleList<ErrorGroupRow>) =>
      setErrors((all) => new Map(all).set(key, list)),
    [],
  );
  const labels = labelsByKey(all ?? []);
  const known = shown?.map(({ row: all, own }): KnownApplication => {
    const row = ofRelease(all, filters.release);
    const read = errors.get(row.key);
    const list = read?.state === "ready" ? read : undefined;
    return {
      ...{ row, label: labels.get(row.key) ?? row.name, errors: list },
      slowest: endpoints.rows.find(({ application }) => application === row.key),
      release: filters.release ?? row.releases[0],
      reasons: list ? reasonsOf(row, list.rows, own, monitors.rows) : [],
    };
  });
  const failed = [
    ...failure === undefined ? [] : [{ ...monitors, state: "failed" as const, error: failure }],
    monitors,
    compared,
    ...hasOthers ? [open] : [],
    ...shown?.map(({ row }) => errors.get(row.key)) ?? [],
  ].find((list) => list?.state === "failed");
  const isKnown = monitors.state === "ready" && (!hasOthers || open.state === "ready") &&
    known?.every(({ errors }) => errors);
  const isOfOther = useIsOfOther(JSON.stringify(filters));
  const isForbidden = state === "forbidden";
  const container = useRef<HTMLDivElement>(null);
  const wasForbidden = useRef(false);
  useEffect(() => {
    // The token form, which had the focus, was removed.
    if (wasForbidden.current && document.activeElement === document.body) {
      container.current?.focus();
    }
    wasForbidden.current = isForbidden;
  }, [isForbidden]);

  if (isForbidden) {
    return (
      <Panel id="locked" title="Inbox">
        <InboxTokenForm />
      </Panel>
    );
  }
  if (newest === null) {
    return (
      <ConnectGuide>
        <h2>Point any Sentry SDK here</h2>
        <p>
          Sightglass is the window on the applications that you develop: their errors, traces, logs
          and recordings appear here, without an account. Started with{" "}
          <code>SENTRY_DSN</code>, it is their way to Sentry.
        </p>
      </ConnectGuide>
    );
  }
  return (
    <div className="highlights grid" ref={container} tabIndex={-1} aria-busy={isOfOther}>
      <ListHead what="all lists" />
      {shown?.map(({ row }) => (
        <ReadErrors key={row.key} application={row.key} filters={charted} onRead={keepErrors} />
      ))}
      <Applications
        known={known}
        failed={failed}
        others={ranked?.slice(MAX_APPLICATIONS) ?? []}
        reported={[
          ...applications ?? [],
          // Of which release and environment they are is not known.
          ...listed && !filters.release && !filters.environment
            ? [{ key: "", ...listed.unassigned }]
            : [],
        ]}
        labels={labels}
      />
      <RequestCharts filters={filters} time={time?.charts} />
      <NeedsALook
        list={{
          ...failed ?? compared,
          rows: [
            ...known?.flatMap(({ reasons }) => reasons) ?? [],
            ...reasonsOf(NOT_NAMED, [], [], monitors.rows),
          ],
          more: [compared, ...known?.map(({ errors }) => errors) ?? []].find((list) => list?.more)
            ?.more,
          keyOf: ({ kind, application, what, href }) =>
            `${kind} ${application.key} ${what} ${href}`,
          ...!failed && !isKnown && { state: "loading" },
        }}
        hasRows={known?.length !== 0}
        compared={shown?.flatMap(({ own }) => own).length ?? 0}
      />
      <SlowestEndpoints list={endpoints} labels={labels} />
      <VitalsByPage filters={filters} labels={labels} />
    </div>
  );
}

/** Lists are read from the answers of others. */
const SETTLED_MS = 100;

const isUnread = ({ queryKey: [live], state: { data } }: Query) =>
  live === LIVE && data === undefined;

/** Whether some figures are those of other filters: what was read with these is not complete yet. */
function useIsOfOther(filters: string): boolean {
  const unread = useIsFetching({ predicate: isUnread }, client);
  const [shown, setShown] = useState(filters);
  useEffect(() => {
    if (unread > 0) return;
    const timer = setTimeout(() => setShown(filters), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [unread, filters]);
  return shown !== filters;
}

/**
 * Reads the open errors of an application; of more groups than a list has also those that decide on its state. Renders
 * nothing.
 *
 * @param props.filters with the time of the charts; undefined: not known yet
 */
function ReadErrors({ application, filters, onRead }: {
  application: string;
  filters: ConsoleQuery | undefined;
  onRead: (application: string, list: ConsoleList<ErrorGroupRow>) => void;
}) {
  const query = filters && { ...filters, application, state: "open" };
  const list = useList("errors", query);
  const oldest = list.more && { ...query, sort: "first_seen" };
  const first = useList("errors", oldest);
  const unhandled = useList("errors", oldest && { ...oldest, handled: "false" });
  useEffect(() => {
    const lists = list.more ? [unhandled, first, list] : [list];
    const unread = lists.find(({ state }) => state !== "ready");
    if (unread?.state === "loading") return;
    const groups = new Map(lists.flatMap(({ rows }) => rows).map((row) => [row.group, row]));
    onRead(application, { ...list, ...unread, rows: [...groups.values()] });
  }, [list, first, unhandled]);
  return null;
}

function isShown({ key, environment, releases }: ApplicationRow, filters: ConsoleQuery): boolean {
  const { application, release } = filters;
  return (application === key ||
    key !== OWN_APPLICATION.key && [APPLICATIONS, undefined].includes(application)) &&
    (filters.environment === undefined || filters.environment === environment) &&
    (release === undefined || releases.includes(release));
}
