import { APPLICATIONS, OWN_SOURCE, type SourceRow } from "../../monitoring/models/rows.ts";
import { ChoiceFilter } from "./ChoiceFilter.tsx";
import { ALL_SOURCES } from "./filters.ts";
import { changeParams, useFragment } from "./fragment.ts";
import { fullLabel } from "./source_labels.ts";
import { useSourceList } from "../data/lists.ts";

/**
 * Chooses whose rows the lists show. Nothing to choose while there is one source. Sightglass's own rows are hidden
 * once an application has sent something; the button shows them.
 */
export function SourceFilter() {
  const { params } = useFragment();
  const list = useSourceList();
  const rows = list?.rows ?? [];
  const chosen = params.get("source") ?? "";
  if (rows.length < 2 && chosen === "") return null;

  const isOwn = ({ key }: SourceRow) => key === OWN_SOURCE.key;
  // A client report or a profile names at most its SDK: it is listed, but is no application to choose.
  const applications = rows.filter((row) => !isOwn(row) && row.environment !== null)
    .map((row) => ({ key: row.key, label: fullLabel(row) }))
    .sort((a, b) => a.label < b.label ? -1 : 1);
  const known = ["", ALL_SOURCES, OWN_SOURCE.key, ...applications.map(({ key }) => key)];
  const value = chosen === APPLICATIONS ? "" : chosen;
  const shown = rows.filter((row) =>
    value === ALL_SOURCES || (value === "" ? !isOwn(row) : row.key === value)
  );
  return (
    <>
      <label className="filter">
        <span className="vh">Source</span>
        <select
          value={value}
          onChange={({ target }) =>
            changeParams({ source: target.value, release: "", environment: "", op: "" })}
        >
          <option value="">Applications</option>
          {applications.map(({ key, label }) => <option key={key} value={key}>{label}</option>)}
          <option value={OWN_SOURCE.key}>Sightglass itself</option>
          <option value={ALL_SOURCES}>everything</option>
          {/* A link may name a source whose envelopes were deleted, or that is not among the newest 100. */}
          {!known.includes(value) && <option value={value}>another application</option>}
        </select>
      </label>
      {!rows.every(isOwn) && rows.some(isOwn) && (value === "" || value === ALL_SOURCES) && (
        <button
          type="button"
          title="The telemetry of this page and its server"
          onClick={() => changeParams({ source: value === "" ? ALL_SOURCES : "" })}
        >
          {value === "" ? "Show Sightglass" : "Hide Sightglass"}
        </button>
      )}
      <ChoiceFilter
        name="environment"
        choices={shown.flatMap(({ environment }) => environment ?? [])}
      />
      <ChoiceFilter
        name="release"
        choices={shown.flatMap(({ releases }) => releases)}
      />
    </>
  );
}
