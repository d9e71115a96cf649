import { formatCount } from "../../components/format.ts";
import { TimeAgo } from "../../components/Timestamp.tsx";
import { fullLabel } from "../../monitoring/models/application_rows.ts";
import { MIN_SAMPLES } from "../../monitoring/models/percentile.ts";
import { RunDots } from "../kit/endpoint_columns.tsx";
import { Sparkline, SPARKLINE_TIP } from "../charts/Sparkline.tsx";
import { linkTo } from "../data/fragment.ts";
import type { ConsoleList } from "../data/lists.ts";
import { SentBy } from "../kit/ApplicationLabel.tsx";
import type { Column } from "../kit/Table.tsx";
import { Highlight, StateMark } from "./Highlight.tsx";
import { type Reason, SINCE_TIP, sortReasons, STATES, STATES_TIP } from "./reasons.ts";

/** What is wrong in the applications that have a row, worst first. @param props.compared number of endpoints */
export function NeedsALook({ list, hasRows, compared }: {
  list: ConsoleList<Reason>;
  hasRows: boolean;
  compared: number;
}) {
  const runs = `${MIN_SAMPLES} or more runs of the newest release and of others that match`;
  return (
    <Highlight
      id="needs-a-look"
      title="Needs a look"
      all={{ text: "All errors", href: linkTo("errors") }}
      list={{ ...list, rows: sortReasons(list.rows) }}
      empty={(hasRows
        ? "The applications above have no open errors that match the time and the filter. " +
          (compared === 0
            ? `None of their endpoints has ${runs}. `
            : `Of their ${
              formatCount(compared, "endpoint")
            } with ${runs} none has new failures or is slower. `)
        : "") +
        "No monitor that matches the filter has a failed, late or missing run."}
      hrefOf={({ href }) => href}
      columns={COLUMNS}
    />
  );
}

const COLUMNS: readonly Column<Reason>[] = [
  {
    title: "What, and why",
    tip: STATES_TIP,
    cell: ({ kind, application, what, why }, link) => (
      <span className="beside" title={`${fullLabel(application)}: ${what} ${why}`}>
        <StateMark
          {...STATES.find((state) =>
            state.kind === kind
          )!}
        />
        <span className="one-line">
          {link(<b>{what}</b>)}{" "}
          <small className="why">
            <span className="sender">{`${fullLabel(application)}: `}</span>
            {why}
          </small>
        </span>
      </span>
    ),
  },
  {
    title: "Application",
    width: 13,
    className: "extra",
    cell: ({ application }) =>
      application.key === "" ? "not named" : <SentBy keys={[application.key]} isShort />,
  },
  {
    title: "Chart",
    tip:
      `Errors over time: ${SPARKLINE_TIP}. Endpoints: see Slowest endpoints. Monitors and clocks have none`,
    width: 5,
    isWide: true,
    cell: ({ of }) =>
      of && ("group" in of ? <Sparkline row={of} /> : !("monitor" in of) && (
        <RunDots
          row={of}
          low={Math.min(of.shortest, of.before!.shortest)}
          high={Math.max(of.longest, of.before!.longest)}
        />
      )),
  },
  {
    title: "Since",
    tip: SINCE_TIP,
    width: 6,
    cell: ({ since }) => <TimeAgo at={since} />,
  },
];
