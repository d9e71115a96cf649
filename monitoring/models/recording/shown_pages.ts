import { at } from "../json.ts";

const META = 4;
/** rrweb's sources of what a person does and does not change the page: moves, clicks, touches, drags. */
const BY_PERSON: ReadonlySet<unknown> = new Set([1, 2, 6, 12]);
/** The browser causes them as well, when a tab is left. */
const FOCUS_OR_BLUR: ReadonlySet<unknown> = new Set([5, 6]);

/**
 * The frames of one page at a time. Several pages may continue a recording at the same time: a copied tab, a page to
 * which "Back" leads. The one loaded or used last is shown; if it was shown before, its changes since its last complete
 * picture are repeated.
 *
 * @param frames in order of time
 * @param pageOf identifies the page of a frame; without a picture of this page it belongs to the one that is shown
 * @param max frames that are repeated, in all
 */
export function shownPages<
  Frame extends { readonly type: number; readonly timestamp: number; readonly data: unknown },
>(frames: readonly Frame[], pageOf: (frame: Frame) => unknown, max: number): Frame[] {
  /** Of each page: the frames of which it is made. */
  const pages = new Map<unknown, Frame[]>();
  const result: Frame[] = [];
  let shown: unknown;
  for (const frame of frames) {
    const { type, timestamp, data } = frame;
    const isKnown = pages.has(pageOf(frame));
    const page = isKnown || type === META ? pageOf(frame) : shown;
    if (!isKnown) shown = page;
    const made = pages.get(page) ?? [];
    const source = type === 3 && at(data, "source");
    const isByPerson = BY_PERSON.has(source);
    const isUsed = isByPerson && (source !== 2 || !FOCUS_OR_BLUR.has(at(data, "type")));
    if (page !== shown && isUsed && made.length <= max) {
      shown = page;
      max -= made.length;
      for (const earlier of made) result.push({ ...earlier, timestamp });
    }
    if (page === shown) result.push(frame);
    if (type === META) pages.set(page, [frame]);
    else if (!isByPerson) made.push(frame);
  }
  return result;
}
