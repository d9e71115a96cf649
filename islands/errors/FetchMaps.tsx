import { useState } from "react";
import { formatCount, messageOf } from "../../components/format.ts";
import type { FetchableScript } from "../../monitoring/models/error/error_content.ts";
import { inbox } from "../data/inbox.ts";

/** Source maps fetched by one click. */
const MAX_SCRIPTS = 10;

/**
 * Buttons that let the server fetch source maps from development servers on this machine.
 *
 * @param props.scripts those of frames without source, or with one that may be of another build
 * @param props.onFetched called when source maps were stored; resolves once `scripts` are those that are left
 */
export function FetchMaps({ scripts, onFetched }: {
  scripts: readonly FetchableScript[];
  onFetched: () => Promise<unknown>;
}) {
  const [state, setState] = useState("");
  const [fetched, setFetched] = useState<readonly string[]>([]);
  const unmapped =
    scripts.filter(({ script, has_map }) => !has_map && fetched.includes(script)).length;
  const fetchAll = async (wanted: readonly FetchableScript[]) => {
    setState("Fetching.");
    setFetched([]);
    const failures: string[] = [];
    const found: string[] = [];
    // One after the other: the server takes one at a time.
    for (const { script, debug_id } of wanted.slice(0, MAX_SCRIPTS)) {
      await inbox.change("POST", { "fetch-map": true }, { script, debug_id: debug_id ?? undefined })
        .then(() => found.push(script), (error) => failures.push(messageOf(error)));
    }
    await onFetched();
    setFetched(found);
    setState(failures[0] ?? "Fetched.");
  };
  return (
    <p className="line">
      {[...Map.groupBy(scripts, ({ origin }) => origin)].map(([origin, ofOrigin]) => (
        <button
          key={origin}
          type="button"
          onClick={() => fetchAll(ofOrigin)}
        >
          Fetch source map {ofOrigin.every(({ has_map }) => has_map) && "again "}from {origin}
        </button>
      ))}
      <span role="status">
        {state}
        {unmapped > 0 && ` ${formatCount(unmapped, "source map")} without source for this error.`}
      </span>
    </p>
  );
}
