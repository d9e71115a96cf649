import { useState } from "react";
import type { MapOrigins } from "../data/source.ts";
import { messageOf } from "../shared/text.ts";
import { useLoaded } from "../shared/use_loaded.ts";
import { source } from "../data/source.ts";

/** Scripts whose maps one click fetches. */
const MAX_SCRIPTS = 10;

export const NO_ORIGINS: MapOrigins = { named: [], fetchable: [] };

/** The origins from which source maps may be fetched; undefined until they are read. */
export function useMapOrigins(): MapOrigins | undefined {
  const read = source &&
    (async () => await source.mapOrigins?.().catch(() => NO_ORIGINS) ?? NO_ORIGINS);
  return useLoaded(read, [source]).value;
}

/**
 * Buttons that let the server fetch source maps from development servers on this machine.
 *
 * @param props.scripts addresses of the error's scripts without source lines
 * @param props.onFetched called when source maps were stored
 */
export function FetchMaps({ origins, scripts, debugIds, onFetched }: {
  origins: MapOrigins;
  scripts: readonly string[];
  debugIds: ReadonlyMap<string, string>;
  onFetched: () => void;
}) {
  const [state, setState] = useState("");
  const { fetchMap } = source;
  const scriptOrigins = new Set(scripts.map((script) => URL.parse(script)?.origin ?? ""));
  if (!fetchMap) return null;
  const fetchFrom = async (origin: string) => {
    setState("Fetching.");
    const wanted = scripts.filter((script) => URL.parse(script)?.origin === origin);
    const failures: string[] = [];
    // One after the other: the server takes one at a time.
    for (const script of wanted.slice(0, MAX_SCRIPTS)) {
      await fetchMap(script, debugIds.get(script)).catch((error) =>
        failures.push(messageOf(error))
      );
    }
    setState(failures[0] ?? "Fetched.");
    onFetched();
  };
  return (
    <p className="line">
      {origins.fetchable.filter((origin) => scriptOrigins.has(origin)).map((origin) => (
        <button
          key={origin}
          type="button"
          onClick={() => fetchFrom(origin)}
        >
          Fetch source map from {origin}
        </button>
      ))}
      <span role="status">{state}</span>
    </p>
  );
}
