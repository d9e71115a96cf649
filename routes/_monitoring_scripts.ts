import type { MonitoringScripts } from "../islands/settings/page_cost.ts";
import { assetsOf, extraAsset } from "../server/assets.ts";
import type { Manifest } from "../server/manifest.ts";

const TELEMETRY = "monitoring/browser/start_telemetry.ts";
const RECORDING = "monitoring/browser/recording_chunk.ts";
/** Sources in the page's first scripts that belong to monitoring. */
const OF_MONITORING = /^(monitoring\/browser\/|@opentelemetry\/|@sentry\/)/;

/** The build's monitoring scripts. Their names are hashes, so only the manifest identifies them. */
export function monitoringScripts(manifest: Manifest): MonitoringScripts {
  const first = new Set(manifest.first);
  const telemetry = assetsOf(manifest, TELEMETRY).difference(first);
  const recording = assetsOf(manifest, RECORDING).difference(first).difference(telemetry);
  const worker = extraAsset(manifest, "replay-worker");
  const sources = [...first].flatMap((name) =>
    Object.entries(manifest.assets[name]?.sources ?? {})
  );
  return {
    telemetry: [...telemetry],
    recording: [...recording],
    worker: worker === undefined ? [] : [worker],
    firstBytes: sources.filter(([source]) => OF_MONITORING.test(source))
      .reduce((sum, [, bytes]) => sum + bytes, 0),
  };
}
