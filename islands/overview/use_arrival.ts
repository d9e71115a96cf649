import { APPLICATIONS, OWN_SOURCE } from "../../monitoring/models/rows.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import { fragmentTo } from "../shared/fragment.ts";
import type { View } from "../shared/view.ts";
import type { Arrival } from "./arrival.ts";
import { useList } from "../data/lists.ts";
import { useRead } from "../data/use_read.ts";
import { source } from "../data/source.ts";

/** Larger envelopes, such as recordings, are not read. */
const MAX_BYTES = 1024 * 1024;

interface ArrivalState {
  /** Undefined while it is not known; null: there is none. */
  readonly arrival: Arrival | null | undefined;
  /** Why it cannot be known, for display. */
  readonly error: string | undefined;
  /** Reads again. */
  retry(): void;
}

/** The newest envelope of another application. @param view that shows it */
export function useArrival(view: View): ArrivalState {
  const { rows: [row], state, error, retry } = useList("envelopes", {
    source: APPLICATIONS,
    limit: 1,
  }, { view });
  // With no other application, the list has the envelopes of this page.
  const newest = row?.source === OWN_SOURCE.key ? undefined : row;
  const { value } = useRead(
    ["arrival", newest?.id],
    newest !== undefined && (() => describe(newest)),
  );
  const arrival = newest ? value : state === "ready" ? null : undefined;
  return { arrival, error: state === "failed" ? error : undefined, retry };
}

/** Reads the envelope; without its content if it is too large, deleted or cannot be read now. */
async function describe(row: InboxRow): Promise<Arrival> {
  const what = row.items[0]?.type ?? "envelope";
  const href = fragmentTo("envelopes", [String(row.id)]);
  const unread = { at: row.received_at, what, sender: "an application", href };
  if (row.bytes > MAX_BYTES) return unread;
  try {
    const [{ describeArrival }, bytes] = await Promise.all([
      import("./arrival.ts"),
      source.envelope(row.id),
    ]);
    return bytes ? describeArrival(row, bytes) : unread;
  } catch (error) {
    console.warn("Cannot describe the newest envelope:", error);
    return unread;
  }
}
