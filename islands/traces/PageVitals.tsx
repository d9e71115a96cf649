import { formatNumber } from "../../components/format.ts";
import type { PageRow } from "../../monitoring/models/rows.ts";
import { PAGE_VITALS } from "../../monitoring/models/trace/page_vitals.ts";
import { queryOf } from "../data/filters.ts";
import { linkTo, useFragment } from "../data/fragment.ts";
import { sortParam } from "../kit/sort.ts";
import { VITAL_TIP, VitalBar } from "../charts/VitalBar.tsx";
import { RowList } from "../kit/RowList.tsx";
import type { Column } from "../kit/Table.tsx";
import { useList } from "../data/lists.ts";

/** The web vitals of page loads and navigations, one row for each page. A row leads to the loads of the page, slowest first. */
export function PageVitals() {
  const { params } = useFragment();
  const sort = sortParam(params, "pages");
  const list = useList("pages", { ...queryOf(params), sort });
  return (
    <RowList
      what="pages"
      whatIsMissing="web vitals"
      list={list}
      columns={COLUMNS}
      caption="Web vitals of pages, 75th percentile"
      sort={sort}
      keyOf={({ application, page }) => `${application} ${page}`}
      hrefOf={({ application, page }) =>
        linkTo("traces", [], { page, application, sort: "slowest" })}
      actions={<a href={linkTo("traces")}>All traces</a>}
      empty={
        <p>
          <b>No web vitals received.</b> Browser SDKs send them with each page load.
        </p>
      }
    />
  );
}

const COLUMNS: readonly Column<PageRow>[] = [
  {
    title: "Page",
    cell: ({ page }, link) => link(page),
    aside: { title: "Application", applications: ({ application }) => [application] },
  },
  {
    title: "Loads",
    width: 4.5,
    numeric: true,
    isWide: true,
    by: "loads",
    cell: ({ loads }) => formatNumber(loads),
  },
  ...PAGE_VITALS.map((name): Column<PageRow> => ({
    title: `${name.toUpperCase()} p75`,
    tip: VITAL_TIP,
    width: 6.5,
    isWide: name !== "lcp" && name !== "inp",
    by: name,
    cell: (row) => <VitalBar name={name} sample={row[name]} />,
  })),
];
