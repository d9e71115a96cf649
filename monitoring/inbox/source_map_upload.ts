import {
  decodedMappings,
  encodedMap,
  FlattenMap,
  type SectionedSourceMapInput,
  TraceMap,
} from "@jridgewell/trace-mapping";
import { at, debugId, listOf, parseJson } from "../models/json.ts";
import { UploadError, type Uploads } from "../uploads/uploads.ts";

/** Maximum bytes of a source map: ten times those of most bundles. Parsing that many blocks the server for 0.5 s. */
export const MAX_SOURCE_MAP_BYTES = 20 * 1024 * 1024;
/** Maximum lines and positions. Each takes one byte or more in the map, and about 100 bytes when it is parsed. */
const MAX_POSITIONS = 2_000_000;
const MAX_SOURCES = 50_000;
/** Maximum characters of the addresses of all sources, each joined with its map's `sourceRoot`. */
const MAX_ADDRESSES = MAX_SOURCE_MAP_BYTES;

export class SourceMapError extends Error {
  override readonly name = "SourceMapError";
  constructor(readonly status: number, readonly code: string, message: string) {
    super(message);
  }
}

/** Reads the body of `POST ?maps`. @param givenId the value of `maps`; empty: none. @throws {SourceMapError} */
export async function readSourceMapUpload(request: Request, givenId: string, uploads: Uploads) {
  const { debugId: ownId, bytes } = checkSourceMap(
    await readUpload(request, MAX_SOURCE_MAP_BYTES, uploads),
  );
  const id = givenId === "" ? null : debugId(givenId);
  if (givenId !== "" && id === null) {
    throw malformed("`maps` must be a debug id (a UUID with dashes).");
  }
  if (id !== null && ownId !== null && id !== ownId) {
    throw malformed(`Its debug id is ${ownId}, and the address has ${id}.`);
  }
  const found = ownId ?? id;
  if (found === null) {
    throw malformed("It has no debug id: add `debugId` to it, or send it to ?maps=ID.");
  }
  return { debugId: found, bytes };
}

/** Reads the body of a POST. @throws {SourceMapError} longer than `maxBytes`, or it did not arrive completely */
export async function readUpload({ body }: Request, maxBytes: number, uploads: Uploads) {
  try {
    return await uploads.read(body ?? new Blob().stream(), maxBytes);
  } catch (error) {
    if (!(error instanceof UploadError)) throw error;
    throw error.reason === "large" ? tooLarge(maxBytes) : malformed(`${error.message}.`);
  }
}

/**
 * Checks that bytes are a source map (https://tc39.es/ecma426/) that every reader can use.
 *
 * @returns the bytes as received; with `sections`, as one map without them
 * @throws {SourceMapError}
 */
export function checkSourceMap(bytes: Uint8Array<ArrayBuffer>) {
  const map = parseJson(bytes);
  const hasSections = at(map, "sections") !== undefined;
  const parts = hasSections ? mapsOfSections(map) : [map];
  if (!parts.every(isMap)) throw malformed("It is not a source map of version 3 in JSON.");
  const lastLine = Number(at(listOf(at(map, "sections")).at(-1), "offset", "line") ?? 0);
  if (sum(parts, countPositions) + lastLine > MAX_POSITIONS) {
    throw malformed(`It has more than ${MAX_POSITIONS.toLocaleString("en")} lines and positions.`);
  }
  const sources = sum(parts, (part) => part.sources.length);
  if (sources > MAX_SOURCES) {
    throw malformed(`It has more than ${MAX_SOURCES.toLocaleString("en")} sources.`);
  }
  const addresses = ({ sources, sourceRoot }: PlainMap) =>
    sum(sources, (source) => (source?.length ?? 0) + (sourceRoot?.length ?? 0));
  if (sum(parts, addresses) > MAX_ADDRESSES) {
    throw malformed(
      `The addresses of its sources, with sourceRoot, have more than ${MAX_ADDRESSES} characters.`,
    );
  }
  const traced = traceMapOf(map, sources);
  if (traced === undefined) throw malformed("Its mappings are invalid.");
  const id = debugId(at(map, "debugId")) ?? debugId(at(map, "debug_id"));
  if (!hasSections) return { debugId: id, bytes };
  const whole = { ...encodedMap(traced), x_script: at(map, "x_script") };
  return { debugId: id, bytes: new TextEncoder().encode(JSON.stringify(whole)) };
}

/** The maps of an index map (https://tc39.es/ecma426/#sec-index-source-map): offsets ascend, no sections of sections. */
function mapsOfSections(map: unknown): unknown[] {
  let [lastLine, lastColumn] = [0, -1];
  return listOf(at(map, "sections")).map((section) => {
    const [line, column] = [at(section, "offset", "line"), at(section, "offset", "column")];
    const isOffset = Number.isSafeInteger(line) && Number.isSafeInteger(column) &&
      (Number(line) > lastLine || line === lastLine && Number(column) > lastColumn) &&
      Number(column) >= 0;
    if (!isOffset) throw malformed("The offsets of its sections do not ascend.");
    [lastLine, lastColumn] = [Number(line), Number(column)];
    return at(section, "map");
  });
}

interface PlainMap {
  readonly mappings: string;
  readonly sources: readonly (string | null)[];
  readonly sourceRoot?: string | null;
}

function isMap(map: unknown): map is PlainMap {
  const sources = at(map, "sources");
  return at(map, "version") === 3 && typeof at(map, "mappings") === "string" &&
    at(map, "sections") === undefined && Array.isArray(sources) &&
    [at(map, "sourceRoot") ?? null, ...sources]
      .concat(listOf(at(map, "sourcesContent")), listOf(at(map, "names")))
      .every((text) => text === null || typeof text === "string");
}

const sum = <T>(values: readonly T[], of: (value: T) => number) =>
  values.reduce((total, value) => total + of(value), 0);

function countPositions({ mappings }: PlainMap): number {
  let positions = 1;
  for (let at = 0; at < mappings.length; at++) {
    const code = mappings.charCodeAt(at);
    if (code === COMMA || code === SEMICOLON) positions++;
  }
  return positions;
}

const COMMA = 0x2c;
const SEMICOLON = 0x3b;

/** Undefined: its mappings are invalid. */
function traceMapOf(map: unknown, sources: number): TraceMap | undefined {
  try {
    const traced = at(map, "sections") === undefined
      // Without sources: the library would join them.
      ? new TraceMap({ version: 3, mappings: (map as PlainMap).mappings, sources: [], names: [] })
      : new FlattenMap(map as SectionedSourceMapInput);
    const areValid = decodedMappings(traced).every((line) =>
      line.every(([column, source, sourceLine, sourceColumn]) =>
        column >= 0 && (source === undefined ||
          source >= 0 && source < sources && sourceLine! >= 0 && sourceColumn! >= 0)
      )
    );
    return areValid ? traced : undefined;
  } catch {
    // The decoder throws errors of several kinds for invalid mappings.
    return undefined;
  }
}

/** A source map, or a request to fetch one, is longer than `maxBytes`. */
export function tooLarge(maxBytes: number): SourceMapError {
  return new SourceMapError(
    413,
    "source_map_too_large",
    `It is larger than ${maxBytes} bytes, the limit for one file.`,
  );
}

function malformed(detail: string): SourceMapError {
  return new SourceMapError(400, "source_map_malformed", `Cannot use the source map: ${detail}`);
}
