import { formatDuration, formatNumber } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { Panel } from "../../components/Panel.tsx";
import { ReadFailure } from "../../components/ReadFailure.tsx";
import { MIN_SAMPLES } from "../../monitoring/models/percentile.ts";
import { linkTo } from "../data/fragment.ts";
import { ApplicationTile } from "../kit/ApplicationLabel.tsx";
import { nameOf } from "../kit/application_labels.ts";
import { type Column, Table } from "../kit/Table.tsx";
import {
  type ApplicationFacts,
  type Endpoint,
  MAX_TRACES,
  middleOf,
} from "./application_facts.tsx";
import { ROWS } from "./Highlight.tsx";

/** Definition of the figures. */
export const ENDPOINT_TIP =
  `Of the newest ${MAX_TRACES} traces of each application: those that its span gave the same name.` +
  ` Duration: of that span, the median by nearest rank; below ${MIN_SAMPLES} traces the shortest and longest.`;

/** What the applications do, slowest first. @param props.known of each application; undefined: not known yet */
export function SlowestEndpoints({ known }: {
  known: readonly (ApplicationFacts | undefined)[] | undefined;
}) {
  const rows = known?.flatMap((facts) => facts?.endpoints ?? [])
    .sort((a, b) => middleOf(b) - middleOf(a)).slice(0, ROWS) ?? [];
  const failed = known?.find((facts) => facts?.error !== undefined);
  const all = rows.flatMap(({ durations }) => [durations[0]!, durations.at(-1)!]);
  return (
    <Panel
      id="slowest-endpoints"
      title="Slowest endpoints"
      icon="traces"
      isUnrecorded
      links={<a href={linkTo("traces", [], { sort: "slowest" })}>All traces</a>}
    >
      {failed && <ReadFailure message={failed.error} retry={failed.retry} isRepeated />}
      {rows.length === 0
        ? <p className="empty">{!failed && known?.every(Boolean) && "No traces in this time."}</p>
        : (
          <Table
            className="highlight"
            caption="Slowest endpoints"
            columns={columnsOf(Math.min(...all), Math.max(...all))}
            rows={rows}
            keyOf={({ application, name }) => `${application.key} ${name}`}
            hrefOf={hrefOf}
          />
        )}
    </Panel>
  );
}

/** The traces of an endpoint, slowest first. */
const hrefOf = ({ application, span }: Endpoint): string =>
  linkTo("traces", [], { application: application.key, name: span, sort: "slowest" });

/** "480 ms", "290 to 320 ms" of few. */
export function durationOf({ durations, median }: Endpoint): string {
  const [low, high] = [durations[0]!, durations.at(-1)!];
  if (median !== null) return formatDuration(median);
  return low === high ? formatDuration(low) : `${formatDuration(low)} to ${formatDuration(high)}`;
}

/** @param low milliseconds, the left end of the scale of all rows; `high`: its right end */
const columnsOf = (low: number, high: number): readonly Column<Endpoint>[] => [
  {
    title: "Endpoint",
    tip: ENDPOINT_TIP,
    cell: ({ application, name }, link) => (
      <span className="beside" title={`${nameOf(application)}: ${name}`}>
        <ApplicationTile name={nameOf(application)} />
        <span className="vh">{nameOf(application)}:</span>
        <span className="one-line">{link(name)}</span>
      </span>
    ),
  },
  {
    title: `${formatDuration(low)} to ${formatDuration(high)}`,
    tip:
      "A dot for each trace, on one logarithmic scale; red: the application failed in it, or sent an error of it",
    width: 9,
    isWide: true,
    cell: ({ requests }) => <Dots requests={requests} low={low} high={high} />,
  },
  {
    title: "n",
    tip:
      "Traces of which an end was received; with a cross those in which the application failed or sent an error",
    width: 5.5,
    numeric: true,
    cell: ({ requests }) => {
      const failed = requests.filter(({ failed }) => failed).length;
      return (
        <>
          {failed > 0 && (
            <span className="refused" title={`${formatNumber(failed)} failed`}>
              <OutcomeMark kind="refused" />
              {formatNumber(failed)}
              <span className="vh">failed</span>
              {" of "}
            </span>
          )}
          {formatNumber(requests.length)}
        </>
      );
    },
  },
  { title: "Duration", tip: ENDPOINT_TIP, width: 8, numeric: true, cell: durationOf },
];

const WIDTH = 1_000;

function Dots({ requests, low, high }: Pick<Endpoint, "requests"> & { low: number; high: number }) {
  const logOf = (ms: number) => Math.log10(Math.max(0.001, ms));
  const range = logOf(high) - logOf(low) || 1;
  const path = (isFailed: boolean) =>
    requests.filter(({ failed }) => failed === isFailed)
      .map(({ ms }) => `M${((logOf(ms) - logOf(low)) / range * WIDTH).toFixed(1)} 5h.01`).join("");
  return (
    <svg className="dots" viewBox={`0 0 ${WIDTH} 10`} preserveAspectRatio="none" aria-hidden="true">
      <path d={path(false)} />
      <path className="failed" d={path(true)} />
    </svg>
  );
}
