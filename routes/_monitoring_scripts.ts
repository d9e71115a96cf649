import type { MonitoringScripts } from "../islands/settings/scripts.ts";
import { assetsOf, extraAsset, firstAssets, type Manifest } from "../server/mod.ts";

const TELEMETRY = "monitoring/browser/start_telemetry.ts";
const RECORDING = "monitoring/browser/start_recording.ts";
/** Sources in the page's first scripts that only monitoring needs. */
const OF_MONITORING = /^(monitoring\/browser\/|@opentelemetry\/|@sentry\/)/;

/**
 * Which scripts of a build are monitoring's: their names are hashes, which only the build can tell apart.
 */
export function monitoringScripts(manifest: Manifest): MonitoringScripts {
  const first = firstAssets(manifest, "/");
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
