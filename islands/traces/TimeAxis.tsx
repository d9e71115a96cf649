import { formatCount, formatDuration, formatOffset } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import type { Extent } from "../../monitoring/models/trace/span_times.ts";
import type { TimeSection } from "../../monitoring/models/trace/time_sections.ts";
import type { Tick } from "../../monitoring/models/trace/time_window.ts";
import type { PlacedMark } from "../../monitoring/models/trace/trace.ts";
import { clustersOf, percentAt } from "../charts/time_scale.ts";
import type { FormattedVital } from "./WebVitals.tsx";

/** Widths of a mark, of a letter of a vital's name, and of a tick's label, in percent of the axis. */
const WIDTHS = {
  wide: { mark: 3, letter: 1.3, label: 7 },
  narrow: { mark: 8, letter: 3, label: 15 },
};

/** From this percentage on, a mark has its text at its left: at its right is no room. */
const LATE = 85;
const placeOf = (left: number) => left > LATE ? { right: `${100 - left}%` } : { left: `${left}%` };

/** The time axis above the waterfall: ticks, web vitals, errors and logs, and what is far outside. */
export function TimeAxis(props: {
  isNarrow: boolean;
  window: Extent;
  /** Start of the trace, milliseconds since 1970. */
  origin: number;
  ticks: readonly Tick[];
  marks: readonly PlacedMark[];
  vitals: readonly FormattedVital[];
  sections: readonly TimeSection[];
  hrefOf: (mark: PlacedMark) => string;
  onShow: (section: TimeSection) => void;
}) {
  const { isNarrow, window, origin, ticks, marks, vitals, sections, hrefOf, onShow } = props;
  const widths = isNarrow ? WIDTHS.narrow : WIDTHS.wide;
  // The layout shift is a sum over the session: it has no time.
  const timed = vitals.filter(({ name }) => name !== "cls");
  const labelWidth = (members: readonly FormattedVital[]) =>
    members.reduce((sum, { name }) => sum + (name.length + 1) * widths.letter, 0);
  return (
    <div className="axis">
      <div className="ticks" aria-hidden="true">
        {ticks.map(({ offset_ms, label }) => {
          const left = percentAt(window, origin + offset_ms);
          return (
            <span key={offset_ms} className="small" style={{ left: `${left}%` }}>
              {left <= 100 - widths.label && label}
            </span>
          );
        })}
      </div>
      {timed.length > 0 && (
        <ul className="marks" aria-label="Vitals on the time axis">
          {timed.filter(({ arrow }) => arrow === "")
            .map(({ name, at_ms }) => ({ name, left: percentAt(window, at_ms) }))
            .filter(({ left }) => left >= 0 && left <= 100)
            .map(({ name, left }) => (
              <li
                key={`${name} time`}
                className="event"
                style={{ left: `${left}%` }}
                aria-hidden="true"
              />
            ))}
          {clustersOf(window, timed, labelWidth).map(({ left, members }) => (
            <li key={members[0]!.name} className="vital small" style={placeOf(left)}>
              <span
                title={members.map(({ text }) =>
                  text
                ).join("\n")}
              >
                {members.map(({ name, arrow }) =>
                  name.toUpperCase() + arrow
                ).join(" ")}
              </span>
              <span className="vh">{members.map(({ text }) => text).join("; ")}</span>
            </li>
          ))}
        </ul>
      )}
      {marks.length > 0 && (
        <ul className="marks" aria-label="Errors and logs on the time axis">
          {clustersOf(window, marks, () => widths.mark).map(({ left, members }) => {
            const worst = members.find(({ kind }) => kind === "error") ?? members[0]!;
            const text = clusterText(members, worst, origin);
            // Of the kind of the mark; the text has both.
            const count = members.filter(({ kind }) => kind === worst.kind).length;
            return (
              <li key={worst.key} style={placeOf(left)}>
                <a
                  href={hrefOf(worst)}
                  className={left > LATE ? "late" : undefined}
                  aria-label={text}
                  title={text}
                >
                  <EventMark kind={worst.kind} />
                  {count > 1 && <sub>{count}</sub>}
                </a>
              </li>
            );
          })}
        </ul>
      )}
      {sections.length > 1 && <FarSections window={window} sections={sections} onShow={onShow} />}
    </div>
  );
}

/** What lies outside of the window, in other sections: on each side its counts, the distance and a way to it. */
function FarSections({ window, sections, onShow }: {
  window: Extent;
  sections: readonly TimeSection[];
  onShow: (section: TimeSection) => void;
}) {
  const before = sections.filter(({ end_ms }) => end_ms < window.start_ms);
  const after = sections.filter(({ start_ms }) => start_ms > window.end_ms);
  const [previous, next] = [before.at(-1), after[0]];
  return (
    <div className="far beside">
      {previous && (
        <button type="button" className="plain" onClick={() => onShow(previous)}>
          ◂ {sectionCounts(before)}, {formatDuration(window.start_ms - previous.end_ms)} earlier
        </button>
      )}
      {next && (
        <button type="button" className="plain end" onClick={() => onShow(next)}>
          {sectionCounts(after)}, {formatDuration(next.start_ms - window.end_ms)} later ▸
        </button>
      )}
    </div>
  );
}

function sectionCounts(sections: readonly TimeSection[]): string {
  return (["span", "error", "log"] as const).flatMap((noun) => {
    const count = sections.reduce((sum, section) => sum + section[`${noun}s`], 0);
    return count > 0 ? [formatCount(count, noun)] : [];
  }).join(", ");
}

export function EventMark({ kind }: { kind: PlacedMark["kind"] }) {
  return kind === "error" ? <OutcomeMark kind="refused" /> : <i className="mark log" />;
}

/** Number of errors and of logs; those that are 0 are left out. */
export function countMarks(marks: readonly PlacedMark[]): string[] {
  const errors = marks.filter(({ kind }) => kind === "error").length;
  const logs = marks.length - errors;
  return [errors > 0 && formatCount(errors, "error"), logs > 0 && formatCount(logs, "log")]
    .filter((text) => text !== false);
}

const offset = ({ at_ms }: { readonly at_ms: number }, origin: number) =>
  `at ${formatOffset(at_ms - origin)}`;

function clusterText(members: readonly PlacedMark[], worst: PlacedMark, origin: number): string {
  const time = worst.astray ? "at an unknown time" : offset(worst, origin);
  if (members.length === 1) {
    return `${worst.kind === "error" ? "Error" : `Log, ${worst.level}`} ${time}: ${worst.text}`;
  }
  const from = members.find(({ astray }) => !astray) ?? worst;
  const since = (from.astray ? time : offset(from, origin)).replace("at ", "from ");
  return `${countMarks(members).join(" and ")} ${since}; the first ${worst.kind}: ${worst.text}`;
}
