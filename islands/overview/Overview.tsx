import "../background_code.ts";
import { useEffect, useRef } from "react";
import { Panel } from "../../components/Panel.tsx";
import { type ApplicationRow, OWN_APPLICATION } from "../../monitoring/models/rows.ts";
import { APPLICATIONS } from "../../monitoring/models/list_query.ts";
import { Chips, FilterMenu, useCommonFilters } from "../kit/FilterControls.tsx";
import { filterParams, RANGES, type SharedFilters, sharedFilters } from "../data/filters.ts";
import { useFragment } from "../data/fragment.ts";
import { InboxTokenForm } from "../kit/InboxTokenForm.tsx";
import { LiveButton } from "../kit/LiveButton.tsx";
import { Applications } from "./Applications.tsx";
import { Arrivals, useNewestEnvelope } from "./Arrivals.tsx";
import { ConnectGuide } from "./ConnectGuide.tsx";
import { JustArrived, NewestErrors, SlowestTraces, VitalsByPage } from "./highlights.tsx";
import { Segmented } from "../kit/Segmented.tsx";
import { RequestCharts, useChartTime } from "./RequestCharts.tsx";
import { useApplications } from "../data/lists.ts";
import { useInboxState } from "../data/inbox_state.ts";

/**
 * The applications that have sent something, and what they did in the chosen time, live; before anything has arrived
 * the guide to connect an application; or the form for the token. Inbox mode only.
 */
export default function Overview() {
  const { newest } = useNewestEnvelope();
  const { state } = useInboxState();
  const { params } = useFragment();
  const filters = sharedFilters(params);
  const links = filterParams(params);
  const applications = useApplications()?.rows.filter((row) => isShown(row, filters));
  const chartTime = useChartTime(filters);
  const charted = chartTime && { ...filters, ...chartTime };
  const common = useCommonFilters();
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
      <Panel id="locked" title="Inbox" isUnrecorded>
        <InboxTokenForm />
      </Panel>
    );
  }
  if (newest === null) {
    return (
      <section className="connect-guide grid" aria-labelledby="first-run">
        <div className="grid">
          <h2 id="first-run">Point any Sentry SDK here</h2>
          <p>
            Copy one line into the application that you are developing: its errors, traces, logs and
            recordings appear here. No account, and nothing leaves this machine.
          </p>
          <ConnectGuide />
        </div>
        <Arrivals />
      </section>
    );
  }
  return (
    <div className="highlights grid" ref={container} tabIndex={-1}>
      <div className="list-head line ranges">
        {/* As in lists, the view's heading, which is not visible, has the same text. */}
        <b className="title" aria-hidden="true">Overview</b>
        <Chips filters={common} />
        <FilterMenu filters={common} />
        <Segmented label="Time" name="since" choices={RANGES} />
        <LiveButton />
      </div>
      <Applications rows={applications} filters={charted} links={links} />
      <RequestCharts filters={charted} links={links} />
      <NewestErrors filters={charted} links={links} />
      <SlowestTraces filters={filters} links={links} />
      <VitalsByPage filters={filters} links={links} />
      <JustArrived filters={filters} links={links} />
    </div>
  );
}

/** Whether an application has a card with these filters. */
function isShown({ key, environment, releases }: ApplicationRow, filters: SharedFilters): boolean {
  const { application, release } = filters;
  return (application === key ||
    key !== OWN_APPLICATION.key && [APPLICATIONS, undefined].includes(application)) &&
    (filters.environment === undefined || filters.environment === environment) &&
    (release === undefined || releases.includes(release));
}
