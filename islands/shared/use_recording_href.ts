import { fragmentTo } from "./fragment.ts";
import type { View } from "./view.ts";
import { useList } from "../data/lists.ts";

/** The address of a moment of a recording. */
export function momentHref(replayId: string, at: number): string {
  return fragmentTo("recordings", [replayId], { at: String(Math.round(at)) });
}

/**
 * The link to a moment of the recording that something names; undefined as long as no segment of it has arrived. An id
 * alone means little: SDKs send one with every visit, also if the recording is never sent.
 *
 * @param replayId null: nothing was recorded
 * @param at milliseconds since 1970; null: the beginning
 * @param view that shows the link
 */
export function useRecordingHref(
  replayId: string | null,
  at: number | null,
  view: View,
): string | undefined {
  const query = replayId === null ? undefined : { replay: replayId, limit: 1 };
  const { rows } = useList("recordings", query, { view });
  if (replayId === null || rows[0]?.replay_id !== replayId) return undefined;
  return at === null ? fragmentTo("recordings", [replayId]) : momentHref(replayId, at);
}
