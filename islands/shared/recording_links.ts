import { fragmentTo } from "./fragment.ts";

/** The address of a moment of a recording. */
export function momentHref(replayId: string, at: number): string {
  return fragmentTo("recordings", [replayId], { at: String(Math.round(at)) });
}
