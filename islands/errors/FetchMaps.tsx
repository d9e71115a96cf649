import { useState } from "react";
import type { FetchableScript } from "../../monitoring/models/error/error_content.ts";
import { api } from "../data/api.ts";
import { messageOf } from "../shared/text.ts";

/** Source maps fetched by one click. */
const MAX_SCRIPTS = 10;

/**
 * Buttons that let the server fetch source maps from development servers on this machine.
 *
 * @param props.onFetched called when source maps were stored
 */
export function FetchMaps({ scripts, onFetched }: {
  scripts: readonly FetchableScript[];
  onFetched: () => void;
}) {
  const [state, setState] = useState("");
  const fetchAll = async (wanted: readonly FetchableScript[]) => {
    setState("Fetching.");
    const failures: string[] = [];
    // One after the other: the server takes one at a time.
    for (const { script, debug_id } of wanted.slice(0, MAX_SCRIPTS)) {
      await api.fetchMap(script, debug_id).catch((error) => failures.push(messageOf(error)));
    }
    setState(failures[0] ?? "Fetched.");
    onFetched();
  };
  return (
    <p className="line">
      {[...Map.groupBy(scripts, ({ origin }) => origin)].map(([origin, ofOrigin]) => (
        <button
          key={origin}
          type="button"
          onClick={() => fetchAll(ofOrigin)}
        >
          Fetch source map from {origin}
        </button>
      ))}
      <span role="status">{state}</span>
    </p>
  );
}
