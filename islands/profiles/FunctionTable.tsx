import { type CSSProperties, useState } from "react";
import { formatCount, formatDuration, formatNumber } from "../../components/format.ts";
import type { FunctionRow } from "../../monitoring/models/profile/call_tree.ts";
import { type CallTree, placeOf } from "../../monitoring/models/profile/profile_content.ts";
import { kindOf } from "./ProfileFlame.tsx";

/** Functions that are listed at first: others have hardly any time. */
const FEW = 50;
const MAX_ROWS = 1_000;

/** The functions of a profile, most self time first: the text form of the flame graph. */
export function FunctionTable({ tree, rows, busy, isAll, selected, onSelect }: {
  tree: CallTree;
  rows: readonly FunctionRow[];
  /** Samples in which a function ran. */
  busy: number;
  /** Whether `rows` are all functions. */
  isAll: boolean;
  /** The function whose calls are marked. */
  selected: number | undefined;
  onSelect: (frame: number) => void;
}) {
  const [most, setMost] = useState(FEW);
  const { frames, interval_ms } = tree;
  const time = (samples: number) => formatDuration(samples * interval_ms);
  const largest = Math.max(1, ...rows.slice(0, most).map(({ self }) => self));
  return (
    <section className="profile-functions" aria-labelledby="profile-functions">
      <p className="facts">
        <b id="profile-functions">Slowest functions</b>
        <span className="quiet">
          {formatCount(rows.length, "function")}
          {isAll && `, self times add up to ${time(busy)}`}
        </span>
      </p>
      <table className="data-table">
        <caption className="vh">Functions, most self time first</caption>
        <thead>
          <tr>
            <th scope="col">Function</th>
            <th scope="col" className="where">Where</th>
            <th
              scope="col"
              className="n self"
              title="In the function itself, without what it calls"
            >
              Self
            </th>
            <th scope="col" className="n" title="In the function and what it calls">Total</th>
            <th scope="col" className="n count">Self samples</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, most).map(({ frame, self, total }) => (
            <tr key={frame} aria-selected={frame === selected || undefined}>
              <th scope="row" className="one-line">
                <i className={kindOf(frames[frame]!)} />
                <button
                  type="button"
                  className="bare"
                  onClick={() =>
                    onSelect(frame)}
                  title={frames[frame]!.function}
                >
                  <code>{frames[frame]!.function}</code>
                </button>
              </th>
              <td className="where one-line quiet" title={placeOf(frames[frame]!)}>
                <code>{shortPlace(placeOf(frames[frame]!))}</code>
              </td>
              <td className="n self">
                <i style={{ "--part": self / largest } as CSSProperties} />
                <b>{time(self)}</b>
              </td>
              <td className="n">{time(total)}</td>
              <td className="n count">{formatNumber(self)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > most && most < MAX_ROWS && (
        <button
          type="button"
          className="plain"
          onClick={() => setMost(MAX_ROWS)}
        >
          Show {formatNumber(Math.min(MAX_ROWS, rows.length))} of{" "}
          {formatCount(rows.length, "function")}
        </button>
      )}
    </section>
  );
}

/** The end of a path, which tells files apart. */
export const shortPlace = (place: string) =>
  place.replace(/^https?:\/\/[^/]+\//, "").split(/[\\/]/).slice(-2).join("/");
