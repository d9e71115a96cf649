import { useMemo } from "react";
import { CostTables } from "./CostTables.tsx";
import type { MonitoringScripts } from "./scripts.ts";
import { visitCost } from "./visit_cost.ts";
import { Boundary } from "../shared/boundary.tsx";
import { useFlow } from "../shared/use_flow.ts";
import { useMeasurements } from "./measurements.ts";
import { useMounted, useTelemetry } from "../shared/telemetry.ts";

interface Props {
  /** {@linkcode MonitoringScripts} as JSON: the build's, which only the server's start knows. */
  readonly scripts: string;
  /** Where the browser posts to: a path, or "straight to the ingest". */
  readonly route: string;
}

/** What monitoring costs on this very visit. */
export default function Settings(props: Props) {
  const mounted = useMounted();
  return (
    <Boundary what="The cost">
      {mounted ? <Cost {...props} /> : <p className="empty">Nothing has been measured yet.</p>}
    </Boundary>
  );
}

function Cost({ scripts: json, route }: Props) {
  const scripts = useMemo(() => JSON.parse(json) as MonitoringScripts, [json]);
  const measured = useMeasurements();
  const telemetry = useTelemetry();
  const { sent } = useFlow();
  const cost = visitCost({ ...measured, scripts, route, origin: location.origin });
  return <CostTables scripts={scripts} cost={cost} sent={sent} timing={telemetry} />;
}
