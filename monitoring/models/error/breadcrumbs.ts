import { type Bounded, listAt, textAt, timeAt } from "../json.ts";
import { type NamedValue, readablePairs } from "../readable_json.ts";

/** An event that happened before an error. */
export interface Breadcrumb {
  /** Milliseconds since 1970; null: no valid time was sent. */
  readonly at: number | null;
  /** Milliseconds relative to the error, negative: earlier; null if one of the two has no time. */
  readonly offset: number | null;
  readonly category: string;
  readonly level: string;
  readonly message: string;
  readonly data: readonly NamedValue[];
}

/** Whether the SDK recorded what it sent itself (`sentry.event`, `sentry.transaction`): nothing the application did. */
export const isOfSdk = ({ category }: Pick<Breadcrumb, "category">): boolean =>
  category.startsWith("sentry.");

/** SDKs keep 100. The newest ones are kept. */
const MAX_BREADCRUMBS = 200;
const MAX_DATA = 30;

/**
 * The breadcrumbs of an event, sorted by time, oldest first. A breadcrumb without a time stays after
 * the one that precedes it in the event.
 *
 * @param errorAt the event's time, milliseconds since 1970
 */
export function readBreadcrumbs(event: unknown, errorAt: number | null): Bounded<Breadcrumb> {
  let sortTime = -Infinity;
  const timed = listAt(event, "breadcrumbs").map((crumb) => {
    const time = timeAt(crumb, "timestamp");
    sortTime = time ?? sortTime;
    return { crumb, time, sortTime };
  });
  const sorted = timed.sort((a, b) => a.sortTime === b.sortTime ? 0 : a.sortTime - b.sortTime);
  const newest = sorted.slice(-MAX_BREADCRUMBS);
  return {
    shown: newest.map(({ crumb, time }) => readBreadcrumb(crumb, time, errorAt)),
    more: sorted.length - newest.length,
  };
}

function readBreadcrumb(crumb: unknown, time: number | null, errorAt: number | null): Breadcrumb {
  const category = textAt(crumb, "category") ?? textAt(crumb, "type") ?? "default";
  return {
    at: time,
    offset: time === null || errorAt === null ? null : time - errorAt,
    category,
    level: textAt(crumb, "level") ?? "info",
    message: textAt(crumb, "message") ?? "",
    data: readablePairs(crumb, MAX_DATA, "data").shown,
  };
}
