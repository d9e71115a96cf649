import "../shared/background_code.ts";
import { useEffect, useRef, useState } from "react";
import { formatDateAndTime, formatTimeOfDay } from "../../components/format_time.ts";
import { Panel } from "../../components/Panel.tsx";
import { type ApplicationRow, OWN_APPLICATION } from "../../monitoring/models/rows.ts";
import { APPLICATIONS } from "../../monitoring/models/list_query.ts";
import { readTimeBound } from "../../monitoring/models/time_bound.ts";
import { AGES, sharedFilters } from "../shared/filters.ts";
import { useFragment } from "../shared/fragment.ts";
import { InboxTokenForm } from "../shared/InboxTokenForm.tsx";
import { LiveButton } from "../kit/LiveButton.tsx";
import { Applications } from "./Applications.tsx";
import { Arrivals, useNewestEnvelope } from "./Arrivals.tsx";
import { ConnectGuide } from "./ConnectGuide.tsx";
import { JustArrived, NewestErrors, SlowestTraces, VitalsByPage } from "./highlights.tsx";
import { Segmented } from "../kit/Segmented.tsx";
import { RequestCharts, useChartTime } from "./RequestCharts.tsx";
import { useApplications } from "../data/lists.ts";
import { useApiState } from "../data/queries.ts";

/** Ranges from an hour: the first one that has something is the default. */
const DEFAULT_RANGES = Object.keys(AGES).slice(1);

/**
 * The applications that have sent something, and what they did in the chosen time, live; before anything has arrived
 * the guide to connect an application; or the form for the token. Inbox mode only.
 */
export default function Overview() {
  const { newest } = useNewestEnvelope("overview");
  const { state, version } = useApiState();
  const { params } = useFragment("overview");
  const { application } = sharedFilters(params);
  const applications = useApplications()?.rows.filter(({ key }) =>
    key !== OWN_APPLICATION.key && [APPLICATIONS, undefined, key].includes(application)
  );
  const fallback = useDefaultRange(applications);
  const asked = params.get("since") ?? "";
  const age = Object.hasOwn(AGES, asked) ? asked : fallback;
  const since = useRangeStart(age, version);
  const { shown, isCut } = useChartTime({ application, since });
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
        <Arrivals view="overview" />
      </section>
    );
  }
  return (
    <div className="highlights grid" ref={container} tabIndex={-1}>
      <div className="line end ranges">
        {isCut && (
          <small>
            Charts: {timeOf(shown.since)} to{" "}
            {shown.until === undefined ? "now" : timeOf(shown.until)}, nothing in the rest
          </small>
        )}
        <Segmented
          view="overview"
          label="Time"
          name="since"
          choices={Object.entries(AGES)}
          chosen={age}
        />
        <LiveButton />
      </div>
      <Applications rows={applications} {...shown} age={age} />
      <RequestCharts application={application} {...shown} />
      <NewestErrors application={application} {...shown} age={age} />
      <SlowestTraces application={application} since={since} age={age} />
      <VitalsByPage application={application} since={since} age={age} />
      <JustArrived application={application} />
    </div>
  );
}

const timeOf = (at: string) => formatDateAndTime(Number(at), Date.now(), formatTimeOfDay);

/** A list moves its start at most so often, in milliseconds: another start is another query. */
const MOVE_MS = 60_000;

/**
 * The start of a time range, milliseconds since 1970 as text. It moves only when something has arrived: an idle page
 * requests nothing.
 *
 * @param age such as "1h"
 * @param version changes with each arrival
 */
function useRangeStart(age: string, version: number): string {
  const [range, setRange] = useState({ age, end: Date.now() });
  const isOld = version > 0 && Date.now() - range.end > MOVE_MS;
  if (range.age !== age || isOld) setRange({ age, end: Date.now() });
  return String(readTimeBound(range.age, range.end) ?? 0);
}

/** The shortest range that contains the last arrival from an application, as seen first. */
function useDefaultRange(applications: readonly ApplicationRow[] | undefined): string {
  const [range, setRange] = useState<string>();
  if (range === undefined && applications && applications.length > 0) {
    const newest = Math.max(...applications.map(({ last_seen }) => last_seen));
    const now = Date.now();
    const found = DEFAULT_RANGES.find((age) => newest >= (readTimeBound(age, now) ?? 0));
    setRange(found ?? DEFAULT_RANGES.at(-1));
  }
  return range ?? DEFAULT_RANGES[0]!;
}
