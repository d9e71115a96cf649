import { type Bounded, listAt, pairsAt, textAt, timeAt } from "../fields.ts";
import { readable } from "../readable.ts";

/** Something that happened around an error. */
export interface Breadcrumb {
  /** Milliseconds since 1970; null: no time was told. */
  readonly at: number | null;
  /** Milliseconds from it to the error, negative before it; null where either has no time. */
  readonly offset: number | null;
  readonly category: string;
  readonly level: string;
  readonly message: string;
  readonly data: readonly (readonly [name: string, value: string])[];
}

/** SDKs keep 100; the newest say most. */
const MAX_BREADCRUMBS = 200;
const MAX_DATA = 30;

/**
 * The breadcrumbs of an event, oldest first by their own times, whatever order they came in. One
 * without a time stays behind the one that it was sent after.
 *
 * @param errorAt the event's own time, milliseconds since 1970
 */
export function readBreadcrumbs(event: unknown, errorAt: number | null): Bounded<Breadcrumb> {
  let before = -Infinity;
  const timed = listAt(event, "breadcrumbs").map((crumb) => {
    const time = timeAt(crumb, "timestamp");
    before = time ?? before;
    return { crumb, time, place: before };
  });
  const sorted = timed.sort((a, b) => a.place === b.place ? 0 : a.place - b.place);
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
    data: pairsAt(crumb, "data").slice(0, MAX_DATA)
      .map(([name, value]) => [name, readable(value)] as const),
  };
}
