import { decodedMappings, type SourceMapInput, TraceMap } from "@jridgewell/trace-mapping";
import { at, debugId, listOf, parseJson } from "../models/json.ts";
import { joinBytes } from "../protocol/join_bytes.ts";

/** Bytes of one source map: an order of magnitude more than those of most bundles. Parsing blocks for 0.5 s. */
export const MAX_SOURCE_MAP_BYTES = 20 * 1024 * 1024;
/** Time for an upload. Detects sleeping and broken clients. */
const UPLOAD_MS = 60_000;
/** Lines and positions of a built script. Each takes about 100 bytes when the map is parsed, but one byte in it. */
const MAX_POSITIONS = 2_000_000;
/** Source files. Parsing resolves the address of each. */
const MAX_SOURCES = 50_000;

/** A source map is refused. Status, code and message are for the answer. */
export class SourceMapError extends Error {
  override readonly name = "SourceMapError";
  constructor(readonly status: number, readonly code: string, message: string) {
    super(message);
  }
}

/** A source map that may be stored. */
export interface CheckedSourceMap {
  readonly debugId: string | null;
  /** As received. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Reads the body of `POST ?maps`: one source map with a debug id.
 *
 * @param givenId the value of `maps`, for a map without an id; empty: none
 * @throws {SourceMapError}
 */
export async function readSourceMapUpload(
  request: Request,
  givenId: string,
): Promise<{ readonly debugId: string; readonly bytes: Uint8Array<ArrayBuffer> }> {
  if (request.headers.has("content-encoding")) {
    throw new SourceMapError(
      415,
      "encoding_not_supported",
      "A source map must not be compressed: omit Content-Encoding.",
    );
  }
  const { debugId: ownId, bytes } = checkSourceMap(await readBody(request));
  const id = givenId === "" ? null : debugId(givenId);
  if (givenId !== "" && id === null) throw malformed("maps is not a debug id, a UUID with dashes.");
  if (id !== null && ownId !== null && id !== ownId) {
    throw malformed(`Its debug id is ${ownId}, and the address has ${id}.`);
  }
  const found = ownId ?? id;
  if (found === null) {
    throw malformed("It has no debug id: add `debugId` to it, or send it to ?maps=ID.");
  }
  return { debugId: found, bytes };
}

async function readBody(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const signal = AbortSignal.timeout(UPLOAD_MS);
    return await readAtMost(request.body ?? new Blob().stream(), MAX_SOURCE_MAP_BYTES, signal);
  } catch (error) {
    if (error instanceof SourceMapError) throw error;
    throw malformed(`It did not arrive completely within ${UPLOAD_MS / 1000} seconds.`);
  }
}

/**
 * Reads a body up to a limit of bytes and time.
 *
 * @throws {SourceMapError} 413: longer than `maxBytes`
 * @throws {DOMException} the signal was aborted
 */
export async function readAtMost(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let total = 0;
  // Leaving the loop cancels the body.
  for await (const chunk of body.pipeThrough(new TransformStream(), { signal })) {
    total += chunk.byteLength;
    if (total > maxBytes) {
      throw new SourceMapError(
        413,
        "source_map_too_large",
        `It is larger than ${maxBytes} bytes, the limit for one file.`,
      );
    }
    chunks.push(chunk);
  }
  return joinBytes(chunks, total);
}

/**
 * Checks that bytes are a source map (https://tc39.es/ecma426/) that every reader can use.
 *
 * @throws {SourceMapError}
 */
export function checkSourceMap(bytes: Uint8Array<ArrayBuffer>): CheckedSourceMap {
  const map = parseJson(bytes);
  if (at(map, "sections") !== undefined) {
    throw malformed("It consists of `sections`, which are not supported.");
  }
  const mappings = at(map, "mappings");
  const sources = listOf(at(map, "sources"));
  const isMap = at(map, "version") === 3 && typeof mappings === "string" &&
    Array.isArray(at(map, "sources")) &&
    [...sources, ...listOf(at(map, "sourcesContent")), ...listOf(at(map, "names"))]
      .every((text) => text === null || typeof text === "string");
  if (!isMap) throw malformed("It is not a source map of version 3 in JSON.");
  if (countPositions(mappings) > MAX_POSITIONS) {
    throw malformed(`It has more than ${MAX_POSITIONS.toLocaleString("en")} lines and positions.`);
  }
  if (sources.length > MAX_SOURCES) {
    throw malformed(`It has more than ${MAX_SOURCES.toLocaleString("en")} sources.`);
  }
  if (!hasValidMappings(map as SourceMapInput, sources.length)) {
    throw malformed("Its mappings are invalid.");
  }
  return { debugId: debugId(at(map, "debugId")) ?? debugId(at(map, "debug_id")), bytes };
}

function countPositions(mappings: string): number {
  let positions = 1;
  for (let at = 0; at < mappings.length; at++) {
    const code = mappings.charCodeAt(at);
    if (code === COMMA || code === SEMICOLON) positions++;
  }
  return positions;
}

const COMMA = 0x2c;
const SEMICOLON = 0x3b;

function hasValidMappings(map: SourceMapInput, sources: number): boolean {
  try {
    return decodedMappings(new TraceMap(map)).every((line) =>
      line.every(([column, source, sourceLine, sourceColumn]) =>
        column >= 0 && (source === undefined ||
          source >= 0 && source < sources && sourceLine! >= 0 && sourceColumn! >= 0)
      )
    );
  } catch {
    // The decoder has errors of several kinds for texts that are no mappings.
    return false;
  }
}

function malformed(detail: string): SourceMapError {
  return new SourceMapError(400, "source_map_malformed", `Cannot use the source map: ${detail}`);
}
