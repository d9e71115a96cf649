import { formatNumber } from "../../components/format.ts";
import type { PageRow } from "../../monitoring/models/trace/trace_row.ts";
import { VITALS } from "../../monitoring/models/trace/web_vitals.ts";
import { VITAL_TIP, VitalBar } from "../charts/VitalBar.tsx";
import { useList } from "../data/lists.ts";
import type { ConsoleQuery } from "../data/inbox.ts";
import { linkTo } from "../data/fragment.ts";
import type { Column } from "../kit/Table.tsx";
import { Highlight, OfApplication } from "./Highlight.tsx";

/** The web vitals of the pages with the most loads. */
export function VitalsByPage({ filters, labels }: {
  filters: ConsoleQuery;
  labels: ReadonlyMap<string, string>;
}) {
  return (
    <Highlight
      id="vitals-by-page"
      title="Web vitals by page"
      all={{ text: "All pages", href: linkTo("traces", ["vitals"]) }}
      list={useList("pages", filters)}
      empty={filters.q ? "No names of pages match the search." : "No page loads match."}
      hrefOf={({ application, page }) =>
        linkTo("traces", [], { page, application, sort: "slowest" })}
      columns={[
        {
          title: "Page",
          cell: ({ application, page }, link) => (
            <OfApplication application={labels.get(application)} name={page}>
              {link(page)}
            </OfApplication>
          ),
        },
        ...VITAL_COLUMNS,
      ]}
    />
  );
}

const VITAL_COLUMNS: readonly Column<PageRow>[] = [
  {
    title: "Loads",
    width: 4,
    numeric: true,
    isWide: true,
    cell: ({ loads }) => loads > 0 && formatNumber(loads),
  },
  ...(["lcp", "inp", "cls"] as const).map((name): Column<PageRow> => ({
    title: name.toUpperCase(),
    tip: `${VITALS[name].title}: ${VITAL_TIP}`,
    width: 10,
    className: "vital",
    cell: (row) => <VitalBar name={name} sample={row[name]} />,
  })),
];
