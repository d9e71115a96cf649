import type { Extent } from "../../monitoring/models/trace/span_times.ts";
import type { Tick } from "../../monitoring/models/trace/time_window.ts";
import type { PlacedMark } from "../../monitoring/models/trace/trace.ts";
import { formatCount, formatFineDuration } from "../../components/format.ts";
import { Mark } from "../../components/Mark.tsx";
import { clustersOf, percentAt } from "./bar.ts";

/** A web vital as the axis shows it. */
export interface ShownVital {
  readonly name: string;
  readonly title: string;
  readonly value: string;
  readonly rating: string;
  readonly at_ms: number;
}

/** Percent of the axis that marks, and names of vitals, are apart at least: about their own width. */
const APART = { wide: { marks: 3, vitals: 7 }, narrow: { marks: 8, vitals: 16 } };
/** From here on a tick's label stands before its line, not after it. */
const LATE = 93;

/**
 * The time axis: ticks, and what happened at one moment.
 *
 * @param props.hrefOf where an error or a log is shown
 */
export function Axis({ narrow, window, origin, ticks, marks, vitals, hrefOf }: {
  narrow: boolean;
  window: Extent;
  /** The trace's start. */
  origin: number;
  ticks: readonly Tick[];
  marks: readonly PlacedMark[];
  vitals: readonly ShownVital[];
  hrefOf: (mark: PlacedMark) => string;
}) {
  const apart = narrow ? APART.narrow : APART.wide;
  return (
    <div className="axis">
      <div className="ticks" aria-hidden="true">
        {ticks.map(({ offset_ms, label }) => {
          const left = percentAt(window, origin + offset_ms);
          return (
            <span
              key={offset_ms}
              className={left > LATE ? "late" : ""}
              style={{ left: `${left}%` }}
            >
              {label}
            </span>
          );
        })}
      </div>
      {vitals.length > 0 && (
        <ul className="marks" aria-label="Vitals on the time axis">
          {clustersOf(window, vitals, apart.vitals).map(({ left, members }) => (
            <li key={members[0]!.name} className="vital" style={{ left: `${left}%` }}>
              <span title={members.map(vitalText).join("\n")}>
                {members.map(({ name }) =>
                  name.toUpperCase()
                ).join(" ")}
              </span>
              <span className="vh">
                {members.map((vital) =>
                  `${vitalText(vital)}, ${offset(vital, origin)}`
                ).join("; ")}
              </span>
            </li>
          ))}
        </ul>
      )}
      {marks.length > 0 && (
        <ul className="marks" aria-label="Errors and logs on the time axis">
          {clustersOf(window, marks, apart.marks).map(({ left, members }) => {
            const worst = members.find(({ kind }) => kind === "error") ?? members[0]!;
            const text = clusterText(members, worst, origin);
            return (
              <li key={worst.key} style={{ left: `${left}%` }}>
                <a href={hrefOf(worst)} aria-label={text} title={text}>
                  {worst.kind === "error" ? <Mark kind="refused" /> : <i className="log-mark" />}
                  {members.length > 1 && <sub>{members.length}</sub>}
                </a>
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}

const vitalText = ({ title, value, rating }: ShownVital) => `${title} ${value}, ${rating}`;

const offset = ({ at_ms }: { readonly at_ms: number }, origin: number) =>
  `at ${formatFineDuration(at_ms - origin)}`;

function clusterText(members: readonly PlacedMark[], worst: PlacedMark, origin: number): string {
  const errors = members.filter(({ kind }) => kind === "error").length;
  const logs = members.length - errors;
  const counted = [errors && formatCount(errors, "error"), logs && formatCount(logs, "log")]
    .filter(Boolean).join(" and ");
  const when = worst.astray ? "at a time that is not told" : offset(worst, origin);
  return members.length === 1
    ? `${worst.kind === "error" ? "Error" : `Log, ${worst.level}`} ${when}: ${worst.text}`
    : `${counted} from ${when.replace("at ", "")}; the first: ${worst.text}`;
}
