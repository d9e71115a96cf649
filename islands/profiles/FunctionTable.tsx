import { type CSSProperties, useMemo, useState } from "react";
import { formatCount, formatDuration } from "../../components/format.ts";
import type { FunctionRow } from "../../monitoring/models/profile/call_tree.ts";
import { type CallTree, placeOf } from "../../monitoring/models/profile/profile_content.ts";
import { MoreButton } from "../kit/ListNotice.tsx";
import { type Column, numberColumn, Table } from "../kit/Table.tsx";
import { kindOf } from "./ProfileFlame.tsx";

/** Functions that are listed at first: others have hardly any time. */
const FEW = 50;
const MAX_ROWS = 1_000;

/** The functions of a profile, most self time first: the text form of the flame graph. */
export function FunctionTable({ tree, rows, selected, onSelect }: {
  tree: CallTree;
  rows: readonly FunctionRow[];
  /** The function whose calls are marked. */
  selected: number | undefined;
  onSelect: (frame: number) => void;
}) {
  const [most, setMost] = useState(FEW);
  const { frames, interval_ms } = tree;
  const time = (samples: number) => formatDuration(samples * interval_ms);
  const sum = rows.reduce((sum, { self }) => sum + self, 0);
  const columns = useMemo((): readonly Column<FunctionRow>[] => [
    {
      title: "Function",
      isHead: true,
      className: "one-line",
      cell: ({ frame }) => (
        <button
          type="button"
          className="bare"
          aria-pressed={frame === selected}
          onClick={() => onSelect(frame)}
        >
          <i className={kindOf(frames[frame]!)} />
          <code>{frames[frame]!.function}</code>
        </button>
      ),
    },
    {
      title: "Where",
      className: "where one-line quiet",
      cell: ({ frame }) => {
        const place = placeOf(frames[frame]!);
        return <code title={place}>{place.split(/[\\/]/).slice(-2).join("/")}</code>;
      },
    },
    {
      title: "Self",
      tip: "In the function itself, without what it calls",
      className: "n self",
      cell: ({ self }) => (
        <>
          <i style={{ "--part": self / (rows[0]?.self || 1) } as CSSProperties} />
          <b>{time(self)}</b>
        </>
      ),
    },
    {
      title: "Total",
      tip: "In the function and what it calls",
      numeric: true,
      width: 5.5,
      cell: ({ total }) => time(total),
    },
    numberColumn("Self samples", ({ self }) => self, { width: 5.5, className: "count" }),
  ], [tree, rows, selected]);
  return (
    <section className="profile-functions">
      <p className="facts pad">
        <b>Slowest functions</b>
        <span className="quiet">
          {formatCount(rows.length, "function")}, self times add up to {time(sum)}
        </span>
      </p>
      <Table
        caption="Functions, most self time first"
        columns={columns}
        rows={rows.slice(0, most)}
        keyOf={({ frame }) => frame}
      />
      <MoreButton
        text="More functions"
        more={rows.length > most && most < MAX_ROWS ? () => setMost(MAX_ROWS) : undefined}
      />
    </section>
  );
}
