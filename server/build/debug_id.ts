import { createHash } from "node:crypto";

/**
 * Placeholder of a script's debug id. File names are hashes of the content with this placeholder: change
 * its number whenever ids are computed differently, because browsers cache files by name forever.
 */
const PLACEHOLDER = "00000000-0000-8000-8000-000000000001";

/**
 * The first lines of each script. The comment lets V8 compile all functions while the script is loaded, off
 * the main thread, instead of each one when it is first called: the blocking time of a page load is a quarter
 * of before (https://v8.dev/blog/explicit-compile-hints). It has no effect anywhere else.
 *
 * The statement registers the script's debug id by its address, so that error reports contain the id for
 * each frame, by which the source map is found. `_debugIds` is the vendor-neutral name. Its keys are stacks,
 * and an address is one of a single frame, as Safari writes it. A real one, `Error().stack`, is slow: V8
 * parses the script once more for its positions. Kept short: the lines add some 90 compressed bytes.
 */
export const FIRST_LINES =
  `//# allFunctionsCalledOnLoad\n(self._debugIds??={})[import.meta.url]="${PLACEHOLDER}";`;

/** A script and its source map with their common debug id. */
interface IdentifiedScript {
  readonly contents: Uint8Array<ArrayBuffer>;
  readonly map: Uint8Array<ArrayBuffer>;
  readonly debugId: string;
}

/**
 * Inserts a debug id into a script and its map. The id is a UUID of both: the same sources always have the
 * same id, and a new comment, which moves lines, changes it. The script's length does not change, so the
 * map's positions stay valid.
 *
 * @param contents a script that starts with {@linkcode FIRST_LINES}
 * @param map its source map, version 3; receives the id as `debugId` (proposal for ECMA-426)
 * @throws {Error} the script starts with other lines
 */
export function withDebugId(
  contents: Uint8Array<ArrayBuffer>,
  map: Uint8Array<ArrayBuffer>,
): IdentifiedScript {
  const lines = new TextEncoder().encode(FIRST_LINES);
  if (!lines.every((byte, index) => contents[index] === byte)) {
    throw new Error("Cannot insert a debug id: the script starts with other lines.");
  }
  const id = debugIdOf(contents, map);
  const identified = contents.slice();
  identified.set(new TextEncoder().encode(id), FIRST_LINES.indexOf(PLACEHOLDER));
  const source = JSON.parse(new TextDecoder().decode(map)) as Record<string, unknown>;
  const named = JSON.stringify({ ...source, debugId: id });
  return { contents: identified, map: new TextEncoder().encode(named), debugId: id };
}

/** The debug id of a script and its map: UUID version 8 of their SHA-256 (RFC 9562, section 5.8 and appendix B.2). */
function debugIdOf(contents: Uint8Array, map: Uint8Array): string {
  const hash = createHash("sha256").update(contents).update(map).digest().subarray(0, 16);
  hash[6] = 0x80 | hash[6]! & 0x0f;
  hash[8] = 0x80 | hash[8]! & 0x3f;
  return hash.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
