import "../shared/background_code.ts";
import { useEffect, useRef, useState } from "react";
import { Panel } from "../../components/Panel.tsx";
import { APPLICATIONS, OWN_SOURCE, type SourceRow } from "../../monitoring/models/rows.ts";
import { readTimeBound } from "../../monitoring/models/time_bound.ts";
import { sharedFilters } from "../shared/filters.ts";
import { fragmentTo, useFragment } from "../shared/fragment.ts";
import { InboxTokenForm } from "../shared/InboxTokenForm.tsx";
import { LiveButton } from "../kit/LiveButton.tsx";
import { Applications } from "./Applications.tsx";
import { ConnectGuide } from "./ConnectGuide.tsx";
import { JustArrived, NewestErrors, SlowestTraces, VitalsByPage } from "./highlights.tsx";
import { RequestCharts } from "./RequestCharts.tsx";
import { useArrival } from "./use_arrival.ts";
import { useSourceList } from "../data/lists.ts";
import { useSourceState } from "../data/queries.ts";

/** Time ranges that the overview offers, as ages. */
const RANGES = { "15m": "15 min", "1h": "1 h", "6h": "6 h", "1d": "24 h", "7d": "7 d" };
/** Those from an hour: the first one that has something is the default. */
const DEFAULT_RANGES = Object.keys(RANGES).slice(1);

/**
 * The applications that have sent something, and what they did in the chosen time, live; before anything has arrived
 * the guide to connect an application; or the form for the token. Inbox mode only.
 */
export default function Overview() {
  const { arrival } = useArrival("overview");
  const { state, version } = useSourceState();
  const { params } = useFragment("overview");
  const { source } = sharedFilters(params);
  const applications = useSourceList()?.rows.filter(({ key }) =>
    key !== OWN_SOURCE.key && [APPLICATIONS, undefined, key].includes(source)
  );
  const fallback = useDefaultRange(applications);
  const asked = params.get("since") ?? "";
  const age = Object.hasOwn(RANGES, asked) ? asked : fallback;
  const since = useRangeStart(age, version);
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
  if (arrival === null) {
    return (
      <section className="first-run" aria-labelledby="first-run">
        <h2 id="first-run">Point any Sentry SDK here</h2>
        <p>
          Nothing has arrived yet. Copy one line into the application that you are developing: its
          errors, traces, logs and recordings appear here. No account, and nothing leaves this
          machine.
        </p>
        <ConnectGuide />
      </section>
    );
  }
  return (
    <div className="highlights" ref={container} tabIndex={-1}>
      <div className="bar ranges">
        <RangeLinks age={age} />
        <LiveButton />
      </div>
      <Applications rows={applications ?? []} source={source} since={since} age={age} />
      <RequestCharts source={source} since={since} />
      <NewestErrors source={source} since={since} age={age} />
      <SlowestTraces source={source} since={since} age={age} />
      <VitalsByPage source={source} since={since} age={age} />
      <JustArrived source={source} />
    </div>
  );
}

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
function useDefaultRange(applications: readonly SourceRow[] | undefined): string {
  const [range, setRange] = useState<string>();
  if (range === undefined && applications && applications.length > 0) {
    const newest = Math.max(...applications.map(({ last_seen }) => last_seen));
    const now = Date.now();
    const found = DEFAULT_RANGES.find((age) => newest >= (readTimeBound(age, now) ?? 0));
    setRange(found ?? DEFAULT_RANGES.at(-1));
  }
  return range ?? DEFAULT_RANGES[0]!;
}

function RangeLinks({ age: current }: { age: string }) {
  const { params } = useFragment("overview");
  return (
    <nav className="segmented" aria-label="Time">
      {Object.entries(RANGES).map(([age, title]) => (
        <a
          key={age}
          href={fragmentTo("overview", [], { ...Object.fromEntries(params), since: age })}
          aria-current={age === current ? "true" : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  );
}
