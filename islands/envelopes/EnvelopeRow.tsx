import { memo } from "react";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import { formatBytes } from "../../components/format/bytes.ts";
import { formatClock } from "../../components/format/clock.ts";
import { formatDated } from "../../components/format/day.ts";
import { shortId } from "../../components/format/short_id.ts";
import { Id } from "../../components/Id.tsx";
import { ItemList } from "../../components/ItemList.tsx";
import type { Column } from "../../components/Ledger.tsx";
import { Mark } from "../../components/Mark.tsx";
import { Time } from "../../components/Time.tsx";
import { useToday } from "../../components/today.ts";
import { type Answer, judge } from "../../components/verdict.ts";

/** @param at what a row's time tells: `Received` of an inbox, `Made` of a visit's own */
export const envelopeColumns = (at: string): readonly Column[] => [
  { title: at },
  { title: "Items" },
  { title: "Size", numeric: true },
  { title: "Encoding" },
  { title: "Outcome" },
  { title: "Trace" },
  { title: "Recording" },
];

/**
 * One envelope of the feed; rows that did not change are not rendered again.
 *
 * @param props.outcome how it ended, as far as is known
 * @param props.isStop the Tab key stops at this row
 */
export const EnvelopeRow = memo(function EnvelopeRow({ row, href, outcome, isStop }: {
  row: InboxRow;
  href: string;
  outcome: string | undefined;
  isStop: boolean;
}) {
  const { id, received_at, trace_ids, replay_id, bytes, items, content_encoding } = row;
  const [trace, ...further] = trace_ids;
  const today = useToday();
  return (
    <tr>
      <td className="at">
        <a
          className="row-link"
          href={href}
          data-row={id}
          tabIndex={isStop ? 0 : -1}
          aria-label={`Envelope ${id}, ${formatDated(received_at, today, formatClock)}`}
        >
          <Time at={received_at} />
        </a>
      </td>
      <td className="items">{items.length === 0 ? "no items" : <ItemList items={items} />}</td>
      <td className="n size">{formatBytes(bytes)}</td>
      <td className="encoding">{content_encoding}</td>
      <td className="outcome">{outcome === undefined ? "–" : <Outcome of={{ outcome }} />}</td>
      <td className="trace">
        {trace === undefined ? "–" : (
          <a
            href={`#/traces/${trace}`}
            aria-label={`Trace ${shortId(trace)}`}
          >
            <Id id={trace} />
          </a>
        )}
        {further.length > 0 && <span title={further.join(" ")}>{` +${further.length}`}</span>}
      </td>
      <td className="recording">{replay_id && <Id id={replay_id} />}</td>
    </tr>
  );
});

/** How an envelope ended, in a word with its mark. */
export function Outcome({ of }: { of: Answer }) {
  const { kind, word, meaning } = judge(of);
  return (
    <span className={kind} title={meaning}>
      <Mark kind={kind} />
      {word}
    </span>
  );
}
