import { PAGE_COLUMNS, type PageRow } from "../../monitoring/models/rows.ts";
import { PAGE_VITALS } from "../../monitoring/models/trace/page_vitals.ts";
import { filterParams, sharedFilters } from "../shared/filters.ts";
import { fragmentTo, useFragment } from "../shared/fragment.ts";
import { sortedBy, sortParam } from "../shared/sort_columns.ts";
import { SourceLabel } from "../shared/SourceLabel.tsx";
import { formatVitals, RatedValue } from "./WebVitals.tsx";
import { RowList } from "../shared/RowList.tsx";
import { ListRow } from "../shared/use_table_rows.tsx";
import { useList } from "../data/lists.ts";

const COLUMNS = [
  { title: "Page" },
  { title: "Loads", numeric: true, by: "loads" },
  ...PAGE_VITALS.map((name) => ({ title: `${name.toUpperCase()} p75`, by: name })),
] as const;

/** The web vitals of all page loads, one row for each page. A row leads to the loads of the page, slowest first. */
export function PageVitals() {
  const { params } = useFragment("traces");
  const sort = sortParam(params, PAGE_COLUMNS);
  const q = params.get("q") ?? undefined;
  const list = useList("pages", { q, sort, ...sharedFilters(params) });
  const keyOf = ({ source, page }: PageRow) => `${source} ${page}`;
  return (
    <RowList
      view="traces"
      what="pages"
      whatIsMissing="web vitals"
      list={list}
      keyOf={keyOf}
      rowsMove
      actions={<a href={fragmentTo("traces", [], filterParams(params))}>All traces</a>}
      table={{
        className: "groups page-vitals",
        caption: "Web vitals of pages, 75th percentile of their loads",
        columns: sortedBy(sort, COLUMNS),
      }}
      empty={<p>No web vitals received. Browser SDKs send them with each page load.</p>}
    >
      {(row, { isTabStop, ...place }) => (
        <ListRow key={keyOf(row)} {...place}>
          <td className="what">
            <span>
              <a
                className="row-link"
                data-row={keyOf(row)}
                tabIndex={isTabStop ? 0 : -1}
                href={fragmentTo("traces", [], {
                  ...filterParams(params),
                  page: row.page,
                  source: row.source,
                  sort: "slowest",
                })}
              >
                {row.page}
              </a>
              <SourceLabel of={[row.source]} />
            </span>
          </td>
          <td className="n" data-column="Loads">{row.loads.toLocaleString("en")}</td>
          {PAGE_VITALS.map((name) => (
            <td key={name} data-column={name.toUpperCase()}>
              <VitalCell name={name} value={row[name]} />
            </td>
          ))}
        </ListRow>
      )}
    </RowList>
  );
}

function VitalCell({ name, value }: { name: (typeof PAGE_VITALS)[number]; value: number | null }) {
  if (value === null) return "–";
  const [vital] = formatVitals([{ name, value, at_ms: 0 }]);
  return vital && <RatedValue {...vital} />;
}
