import "../view_code.ts";
import { METRIC_KINDS } from "../../monitoring/models/metric/metric_id.ts";
import { useFragment } from "../data/fragment.ts";
import { Split } from "../kit/Split.tsx";
import { MetricDetail } from "./MetricDetail.tsx";
import { keyOf, MetricList } from "./MetricList.tsx";

/**
 * The view of metrics: the list (`#/metrics`), or one beside it (`#/metrics/NAME/KIND/UNIT`), with its figure (`show`),
 * the attribute by which it is grouped (`by`) and the length of an interval (`every`).
 */
export default function MetricsView() {
  const { path: [name, named, unit = ""] } = useFragment();
  const kind = METRIC_KINDS.find((kind) => kind === named);
  const id = name !== undefined && kind !== undefined ? { name, kind, unit } : undefined;
  return (
    <Split
      look="needs-width"
      list={<MetricList openKey={id && keyOf(id)} />}
      detail={id && <MetricDetail key={keyOf(id)} id={id} />}
    />
  );
}
