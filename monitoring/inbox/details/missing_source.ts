import type { FoundFrame } from "../../models/error/source_finder.ts";
import { TOOL } from "../../protocol/commands.ts";
import { isLoopbackHost } from "../../protocol/loopback.ts";
import type { SourceMapOrigins } from "../source_map_fetch.ts";

export type MapOrigins = Pick<SourceMapOrigins, "configured" | "fetchable">;

const MAX_PATH = 100;
const UPLOAD = `${TOOL} sourcemaps --to URL FOLDER`;

/**
 * Explains why frames have no source and names the next step; empty if all have it.
 *
 * @param frames of all the error's stack traces
 * @param debugIds by file
 */
export function explainMissingSource(
  frames: readonly FoundFrame[],
  debugIds: ReadonlyMap<string, string>,
  origins: MapOrigins,
): string {
  const withoutSource = frames.filter(({ source }) => source === null);
  if (withoutSource.length === 0) return "";
  const noneHasSource = withoutSource.length === frames.length;
  const minified = withoutSource.find(({ file, hasMap }) => !hasMap && debugIds.has(file ?? ""));
  const missing = minified ?? (noneHasSource ? withoutSource.find(isScript) : undefined);
  if (missing) return explainMissingMap(missing.file ?? "", minified !== undefined, origins);
  // The files of these frames were never minified, or are not in the source map.
  if (!noneHasSource) return "";
  return withoutSource.some(({ script }) => script !== null)
    ? "The source map lacks the sources: build it with sourcesContent."
    : "The event contains no source lines.";
}

function isScript({ file, hasMap }: FoundFrame): boolean {
  return !hasMap && (URL.parse(file ?? "")?.protocol.startsWith("http") ?? false);
}

function explainMissingMap(file: string, hasId: boolean, origins: MapOrigins): string {
  const url = URL.parse(file);
  const origin = url?.origin ?? "";
  const path = (url?.pathname ?? file).slice(0, MAX_PATH).toWellFormed();
  if (origins.fetchable.includes(origin)) {
    return `No source map for ${path}: fetch it. The script must end with its address.`;
  }
  if (origins.configured.includes(origin)) {
    return `No page of ${origin} has posted since this server's start: reload one, then open this` +
      " error again to fetch the source map.";
  }
  if (hasId) return `The source map of ${path} is not in the inbox: upload it with ${UPLOAD}.`;
  const adds = `${path} has no debug id: ${UPLOAD} adds them to a build, for later errors.`;
  return url && isLoopbackHost(url.hostname)
    ? `${adds} If a development server serves it, name ${origin} in SOURCE_MAP_ORIGINS.`
    : adds;
}
