import type { IconName } from "../../components/Icon.tsx";
import { ellipsize, formatCount, formatNumber } from "../../components/format.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";

type Content = Pick<InboxRow, "items" | "summary">;

/** The icon of the view that shows what an item has, and a name for items whose envelopes have no title. */
const ITEMS: Readonly<Record<string, readonly [name: string, icon?: IconName]>> = {
  event: ["Error", "errors"],
  transaction: ["Trace", "traces"],
  span: ["Spans", "traces"],
  log: ["Logs", "logs"],
  replay_event: ["Recording", "recordings"],
  replay_recording: ["Recording", "recordings"],
  session: ["Session"],
  sessions: ["Sessions"],
  check_in: ["Check-in", "monitors"],
  client_report: ["Client report"],
  feedback: ["Feedback", "feedback"],
  user_report: ["Feedback", "feedback"],
  profile: ["Profile", "profiles"],
  profile_chunk: ["Profile", "profiles"],
  trace_metric: ["Metrics", "metrics"],
};

/** Characters of a title: more than a line. */
const MAX_TITLE = 200;

/** What an envelope is about, "GET /orders" or "Recording", and the icon of its view. */
export function topicOf(
  { items, summary }: Content,
): { readonly text: string; readonly icon: IconName } {
  const names = new Set(items.map(({ type }) => ITEMS[type]?.[0] ?? type));
  const text = ellipsize(summary?.title ?? "", MAX_TITLE) || [...names].join(", ") || "no items";
  return { text, icon: ITEMS[items[0]?.type ?? ""]?.[1] ?? "envelopes" };
}

/** The items of an envelope: "12 spans", "event, attachment", "2 × session", "256 × event, 744 not listed". */
export function itemsOf({ items, summary }: Content): string {
  const names = [...Map.groupBy(items, ({ type }) => type)].map(([type, { length: count }]) => {
    if (type === "span" && summary?.spans) return formatCount(summary.spans, "span");
    if (type === "log" && summary?.logs) return formatCount(summary.logs, "log");
    return count === 1 ? type : `${count}\u00a0×\u00a0${type}`;
  });
  if (summary?.unlisted) names.push(`${formatNumber(summary.unlisted)} not listed`);
  return names.join(", ");
}
