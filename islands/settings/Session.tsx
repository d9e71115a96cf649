import { KeyValueList } from "../../components/KeyValueList.tsx";
import { Id } from "../../components/Id.tsx";
import type { TelemetryState } from "../../monitoring/browser/mod.ts";
import { CopyButton } from "../kit/CopyButton.tsx";
import { useTelemetry } from "../data/telemetry.ts";

export function Session() {
  const { phase, reason, traceId, recording, replayId, storageProblem, dropped } = useTelemetry();
  return (
    <KeyValueList
      entries={[
        {
          name: "Telemetry",
          value: phase === "failed" ? `failed: ${reason ?? "no reason given"}` : PHASE_TEXTS[phase],
        },
        {
          name: "Trace",
          value: traceId === undefined ? phase === "running" ? "not recorded" : "not started" : (
            <>
              <code className="trace-id">{traceId}</code>{" "}
              <CopyButton text={() => traceId} look="plain">Copy trace id</CopyButton>
            </>
          ),
        },
        {
          name: "Recording",
          value: (
            <>
              {RECORDING_TEXTS[recording]}
              {replayId && (
                <small>
                  id <Id id={replayId} />
                </small>
              )}
            </>
          ),
        },
        storageProblem !== undefined && { name: "Storage", value: storageProblem },
        dropped !== undefined && { name: "Dropped", value: dropped },
      ]}
    />
  );
}

const PHASE_TEXTS: Readonly<Record<Exclude<TelemetryState["phase"], "failed">, string>> = {
  waiting: "waiting until the page is idle; errors and logs are buffered",
  loading: "loading; errors and logs are buffered",
  running: "running",
};

const RECORDING_TEXTS: Readonly<Record<TelemetryState["recording"], string>> = {
  waiting: "not decided yet",
  buffering: "buffering: sent only if an error occurs",
  recording: "running: sent continuously",
  off: "off",
  failed: "failed; the rest of telemetry is not affected",
};
