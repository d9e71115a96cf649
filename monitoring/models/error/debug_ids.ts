import { listAt, textAt } from "../fields.ts";

/** A page loads some tens of scripts. */
const MAX_IMAGES = 1_000;

/** A debug id as source maps are asked for: a UUID in lower case. */
export const DEBUG_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/**
 * Which script has which debug id, by the script's address: `debug_meta.images` of an event. Only
 * scripts with source maps; native code has images of other types.
 */
export function readDebugIds(event: unknown): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  for (const image of listAt(event, "debug_meta", "images").slice(0, MAX_IMAGES)) {
    const file = textAt(image, "code_file");
    const id = textAt(image, "debug_id")?.toLowerCase() ?? "";
    if (textAt(image, "type") !== "sourcemap" || file === null || !DEBUG_ID.test(id)) continue;
    if (!ids.has(file)) ids.set(file, id);
  }
  return ids;
}
