import { createHash } from "node:crypto";

/**
 * Placeholder of a script's debug id. File names are hashes of the content with this placeholder: change
 * its number whenever ids are computed differently, because browsers cache files by name forever.
 */
const PLACEHOLDER = "00000000-0000-8000-8000-000000000001";

/**
 * The first lines of each script. By the comment V8 compiles all functions while the script is loaded, off the main
 * thread (https://v8.dev/blog/explicit-compile-hints).
 *
 * The statement registers the debug id, by which error reports lead to source maps. The keys of `_debugIds` are stacks,
 * and an address is one of a single frame, as Safari writes it. For `Error().stack` V8 parses the script once more.
 */
export const FIRST_LINES =
  `//# allFunctionsCalledOnLoad\n(self._debugIds??={})[import.meta.url]="${PLACEHOLDER}";`;

/**
 * Inserts a debug id into a script that starts with {@linkcode FIRST_LINES}, and into its map as `debugId` (proposal for
 * ECMA-426). The same sources always have the same id. The script's length does not change, so the map stays valid.
 */
export function withDebugId(contents: Uint8Array<ArrayBuffer>, map: Uint8Array<ArrayBuffer>) {
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
