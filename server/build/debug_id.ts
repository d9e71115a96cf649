import { createHash } from "node:crypto";

/**
 * Stands where a script's debug id will be. The bundler makes names of content with this text in
 * it, so its number must be raised whenever ids are made in another way: else a name that browsers
 * may keep for ever would stand for other bytes.
 */
const PLACEHOLDER = "00000000-0000-8000-8000-000000000001";

/**
 * The first line of each script, before it has its id. Run, it says which script has which id: the
 * only frame of that stack is the script's own address. Whoever reports an error can tell the id of
 * each frame by it, and whoever reads the report finds the map that has the same id, whatever the
 * script's address has become. It costs every script some 60 bytes compressed, so it is short;
 * `_debugIds` is the name for it that belongs to no one product.
 */
export const DEBUG_ID_LINE = `(self._debugIds??={})[Error().stack]="${PLACEHOLDER}";`;

/** A script and its source map, which share an id. */
export interface Identified {
  readonly contents: Uint8Array<ArrayBuffer>;
  readonly map: Uint8Array<ArrayBuffer>;
  readonly debugId: string;
}

/** A script does not begin with {@linkcode DEBUG_ID_LINE}. */
export class DebugIdError extends Error {
  override readonly name = "DebugIdError";
}

/**
 * Puts a debug id into a script and into its map: a UUID of both together, so that the same
 * sources have the same id wherever they are built, and a comment that only moves lines gives
 * another one. The script stays as long as it was, so the map's positions hold.
 *
 * @param contents a script that begins with {@linkcode DEBUG_ID_LINE}
 * @param map its source map, version 3; in it the id is called `debugId`, as the proposal to ECMA-426 does
 * @throws {DebugIdError}
 */
export function withDebugId(
  contents: Uint8Array<ArrayBuffer>,
  map: Uint8Array<ArrayBuffer>,
): Identified {
  const line = new TextEncoder().encode(DEBUG_ID_LINE);
  if (!line.every((byte, index) => contents[index] === byte)) {
    throw new DebugIdError("Cannot give a script its debug id: it begins with another line.");
  }
  const id = debugId(contents, map);
  const identified = contents.slice();
  identified.set(new TextEncoder().encode(id), DEBUG_ID_LINE.indexOf(PLACEHOLDER));
  const source = JSON.parse(new TextDecoder().decode(map)) as Record<string, unknown>;
  const named = JSON.stringify({ ...source, debugId: id });
  return { contents: identified, map: new TextEncoder().encode(named), debugId: id };
}

/** A UUID of version 8, made of a SHA-256 (RFC 9562, section 5.8 and appendix B.2). */
function debugId(contents: Uint8Array, map: Uint8Array): string {
  const hash = createHash("sha256").update(contents).update(map).digest().subarray(0, 16);
  hash[6] = 0x80 | hash[6]! & 0x0f;
  hash[8] = 0x80 | hash[8]! & 0x3f;
  return hash.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
