import type { EndpointRow } from "../../monitoring/models/trace/trace_row.ts";
import { displayName } from "../../monitoring/models/trace/trace_name.ts";
import { linkTo } from "../data/fragment.ts";
import type { ConsoleList } from "../data/lists.ts";
import { ENDPOINT_TIP, endpointColumns, endpointPath } from "../kit/endpoint_columns.tsx";
import { Highlight, OfApplication, ROWS } from "./Highlight.tsx";

/** What the applications do, slowest first. */
export function SlowestEndpoints({ list, labels }: {
  list: ConsoleList<EndpointRow>;
  labels: ReadonlyMap<string, string>;
}) {
  const { dots, count, others, duration } = endpointColumns(list.rows.slice(0, ROWS));
  return (
    <Highlight
      id="slowest-endpoints"
      title="Slowest endpoints"
      all={{ text: "All endpoints", href: linkTo("endpoints") }}
      list={list}
      empty="No requests or tasks that have ended match."
      hrefOf={(row) => linkTo("endpoints", endpointPath(row))}
      columns={[
        {
          title: "Endpoint",
          tip: ENDPOINT_TIP,
          cell: (row, link) => (
            <OfApplication application={labels.get(row.application)} name={displayName(row)}>
              {link(displayName(row))}
            </OfApplication>
          ),
        },
        ...[dots, count, others, duration],
      ]}
    />
  );
}
