import { KeyValueList } from "../../components/KeyValueList.tsx";
import { Id } from "../../components/Id.tsx";
import type { TelemetryState } from "../../monitoring/browser/mod.ts";
import { CopyButton } from "../shared/CopyButton.tsx";
import { withBoundary } from "../shared/ErrorBoundary.tsx";
import { useTelemetry } from "../shared/telemetry.ts";

/** This visit: the state of telemetry, its trace, and the recording. */
export const Visit = withBoundary("This visit", VisitProperties);

function VisitProperties() {
  const {
    phase,
    reason,
    traceId,
    recording,
    compressionProblem,
    replayId,
    storageProblem,
    dropped,
  } = useTelemetry();
  return (
    <KeyValueList
      entries={[
        { name: "Telemetry", value: phaseText(phase, reason) },
        { name: "Trace", value: traceId ? <TraceId id={traceId} /> : "not started" },
        {
          name: "Recording",
          value: (
            <>
              {RECORDING_TEXTS[recording]}
              {compressionProblem && <small>{compressionProblem}</small>}
              {replayId && (
                <small>
                  id <Id id={replayId} />
                </small>
              )}
            </>
          ),
        },
        ...(storageProblem ? [{ name: "Kept", value: storageProblem }] : []),
        ...(dropped ? [{ name: "Dropped", value: dropped }] : []),
      ]}
    />
  );
}

function phaseText(phase: TelemetryState["phase"], reason: string | undefined): string {
  switch (phase) {
    case "waiting":
      return "waiting until the page is idle; errors and logs are buffered";
    case "loading":
      return "loading; errors and logs are buffered";
    case "running":
      return "running";
    case "failed":
      return `failed: ${reason ?? "no reason given"}`;
  }
}

const RECORDING_TEXTS: Readonly<Record<TelemetryState["recording"], string>> = {
  waiting: "not decided yet",
  buffering: "buffering: sent only if an error occurs",
  recording: "running: sent continuously",
  off: "off",
  failed: "failed; the rest of telemetry is not affected",
};

function TraceId({ id }: { id: string }) {
  return (
    <>
      <code className="trace-id">{id}</code>{" "}
      <CopyButton text={() => id} small>Copy trace id</CopyButton>
    </>
  );
}
