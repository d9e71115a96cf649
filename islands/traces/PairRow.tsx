import { formatFineDuration } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import type { ComparedSpan, SpanPair } from "../../monitoring/models/trace/compare_traces.ts";
import { spanKind } from "../../monitoring/models/trace/span_kind.ts";
import type { Trace } from "../../monitoring/models/trace/trace.ts";
import { isPageOp } from "../../monitoring/models/trace/trace_name.ts";
import { fragmentTo } from "../shared/fragment.ts";
import { spanClasses } from "./span_classes.ts";
import { KindMark } from "./SpanKinds.tsx";
import { barOf } from "./time_scale.ts";

/** A trace and the name that it has in the comparison. */
export interface Side {
  readonly letter: "A" | "B";
  readonly id: string;
  readonly trace: Trace;
}

/**
 * A span of two compared traces: its name, its time in each, and the difference.
 *
 * @param props.width_ms length of the time scale
 */
export function PairRow({ pair, sides, width_ms }: {
  pair: SpanPair;
  sides: readonly Side[];
  width_ms: number;
}) {
  const { a, b, isInstant, difference_ms } = pair;
  const { span } = (a ?? b)!;
  return (
    <tr data-kind={spanKind(span)}>
      <th scope="row" title={span.name}>
        <KindMark />
        {span.op && <b>{span.op}</b>} {span.name}
      </th>
      {sides.map((side) => (
        <SpanCell
          key={side.letter}
          side={side}
          compared={side.letter === "A" ? a : b}
          isInstant={isInstant}
          width_ms={width_ms}
        />
      ))}
      {a && b
        ? (
          <Difference
            by={difference_ms}
            of={isInstant ? "start" : isPageOp(span.op) ? "visit" : "duration"}
          />
        )
        : <td className="n">{a ? "only in A" : "only in B"}</td>}
    </tr>
  );
}

/** Duration and bar of a span in one of the traces. */
function SpanCell({ side: { letter, id, trace }, compared, isInstant, width_ms }: {
  side: Side;
  compared: ComparedSpan | undefined;
  isInstant: boolean;
  width_ms: number;
}) {
  if (compared === undefined) {
    return (
      <td className="none">
        <b className="letter">{letter}</b> –
      </td>
    );
  }
  const { span, node, start_ms, duration_ms } = compared;
  const end_ms = duration_ms === null ? width_ms : start_ms + duration_ms;
  const bar = barOf({ start_ms: 0, end_ms: width_ms }, { start_ms, end_ms });
  return (
    <td className={spanClasses(span, trace.times.byNode.get(node)!)}>
      <b className="letter">{letter}</b>
      <span className="took">
        {span.failed && <OutcomeMark kind="refused" />}
        <a href={fragmentTo("traces", [id], { span: span.span_id })}>
          {isInstant
            ? `at ${formatFineDuration(start_ms)}`
            : duration_ms === null
            ? "no end"
            : formatFineDuration(duration_ms)}
        </a>
        {span.failed && <span className="vh">, failed</span>}
      </span>
      <div className="track">
        {bar.out
          ? (
            <span className={`outside ${bar.out}`}>
              {bar.out === "before" ? "◂ earlier" : "later ▸"}
            </span>
          )
          : <span className="span-bar" style={{ left: `${bar.left}%`, width: `${bar.width}%` }} />}
      </div>
    </td>
  );
}

const TIME = { format: formatFineDuration, visible: 0.05 };

/**
 * By what is compared: a duration, when something happened, how long a page was watched, or a score. `visible` is the
 * smallest difference that the values show.
 */
const DIFFERENCES = {
  duration: { ...TIME, more: "slower", less: "faster" },
  start: { ...TIME, more: "later", less: "earlier" },
  visit: { ...TIME, more: "longer", less: "shorter" },
  score: {
    format: (score: number) => score.toFixed(2),
    visible: 0.005,
    more: "higher",
    less: "lower",
  },
} as const;

type Compared = keyof typeof DIFFERENCES;

/** A cell with a difference, B minus A: milliseconds or a score. Null: there is none. */
export function Difference({ by, of }: { by: number | null; of: Compared }) {
  if (by === null) return <td className="n">–</td>;
  const isSame = Math.abs(by) < DIFFERENCES[of].visible;
  const colour = isSame ? "same" : of === "visit" ? "" : by > 0 ? "refused" : "flows";
  return <td className={`n ${colour}`}>{differenceText(by, of)}</td>;
}

/** A difference in one direction, from A to B: `1.20 s slower`. */
function differenceText(by: number, of: Compared): string {
  const { format, visible, more, less } = DIFFERENCES[of];
  return Math.abs(by) < visible ? "same" : `${format(Math.abs(by))} ${by > 0 ? more : less}`;
}
