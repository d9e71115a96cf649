import type { PageRow } from "../../monitoring/models/trace/trace_row.ts";
import { PAGE_VITALS } from "../../monitoring/models/trace/page_vitals.ts";
import { linkTo } from "../data/fragment.ts";
import { useSortedList } from "../kit/sort.ts";
import { VITAL_TIP, VitalBar } from "../charts/VitalBar.tsx";
import { RowList } from "../kit/RowList.tsx";
import { type Column, numberColumn } from "../kit/Table.tsx";

/** The web vitals of page loads and navigations, one row for each page. A row leads to the loads of the page, slowest first. */
export function PageVitals() {
  const { list, sort } = useSortedList("pages");
  return (
    <RowList
      what="pages"
      whatIsMissing="web vitals"
      of="pages"
      list={list}
      columns={COLUMNS}
      caption="Web vitals of pages, 75th percentile"
      sort={sort}
      hrefOf={({ application, page }) =>
        linkTo("traces", [], { page, application, sort: "slowest" })}
      actions={<TraceShapes isVitals />}
      empty={
        <>
          <b>No web vitals received.</b> Browser SDKs send them with each page load.
        </>
      }
    />
  );
}

/** The choice between traces and the web vitals of their pages. */
export function TraceShapes({ isVitals = false }: { isVitals?: boolean }) {
  return (
    <nav className="segmented well" aria-label="Shown as">
      <a className="bare quiet" href={linkTo("traces")} aria-current={!isVitals || undefined}>
        Traces
      </a>
      <a
        className="bare quiet"
        href={linkTo("traces", ["vitals"])}
        aria-current={isVitals || undefined}
      >
        Web vitals
      </a>
    </nav>
  );
}

const COLUMNS: readonly Column<PageRow>[] = [
  {
    title: "Page",
    cell: ({ page }, link) => link(page),
    aside: { title: "Application", applications: ({ application }) => [application] },
  },
  numberColumn("Loads", ({ loads }) => loads, { width: 4.5, isWide: true, by: "loads" }),
  ...PAGE_VITALS.map((name): Column<PageRow> => ({
    title: `${name.toUpperCase()} p75`,
    tip: VITAL_TIP,
    width: 7.5,
    isWide: name !== "lcp" && name !== "inp",
    by: name,
    cell: (row) => <VitalBar name={name} sample={row[name]} />,
  })),
];
