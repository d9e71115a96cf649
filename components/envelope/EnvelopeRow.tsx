import { memo } from "react";
import type { InboxRow } from "../../monitoring/inbox/row.ts";
import { formatBytes } from "../format/bytes.ts";
import { formatClock } from "../format/clock.ts";
import { formatDated } from "../format/day.ts";
import { shortId } from "../format/short_id.ts";
import { Id } from "../Id.tsx";
import { ItemList } from "../ItemList.tsx";
import type { Column } from "../Ledger.tsx";
import { Mark } from "../Mark.tsx";
import { Time } from "../Time.tsx";
import { useToday } from "../today.ts";
import { type Answer, judge } from "../verdict.ts";

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
