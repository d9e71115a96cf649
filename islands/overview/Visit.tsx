import { useState } from "react";
import { Facts } from "../../components/Facts.tsx";
import { Id } from "../../components/Id.tsx";
import type { TelemetryState } from "../../monitoring/browser/mod.ts";
import { Boundary } from "../shared/boundary.tsx";
import { useTelemetry } from "../shared/telemetry.ts";

/** This visit: whether telemetry runs, its trace, and what is recorded. */
export default function Visit() {
  return (
    <Boundary what="This visit">
      <VisitFacts />
    </Boundary>
  );
}

function VisitFacts() {
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
    <Facts
      facts={[
        { term: "Telemetry", value: phaseInWords(phase, reason) },
        { term: "Trace", value: traceId ? <TraceId id={traceId} /> : "not started" },
        {
          term: "Recording",
          value: (
            <>
              {recordingInWords[recording]}
              {compressionProblem && <small>{compressionProblem}</small>}
              {replayId && (
                <small>
                  id <Id id={replayId} />
                </small>
              )}
            </>
          ),
        },
        ...(storageProblem ? [{ term: "Kept", value: storageProblem }] : []),
        ...(dropped ? [{ term: "Dropped", value: dropped }] : []),
      ]}
    />
  );
}

function phaseInWords(phase: TelemetryState["phase"], reason: string | undefined): string {
  switch (phase) {
    case "waiting":
      return "waiting until the page is idle; errors and logs are kept";
    case "loading":
      return "loading; errors and logs are kept";
    case "running":
      return "running";
    case "failed":
      return `failed: ${reason ?? "no reason given"}`;
  }
}

const recordingInWords: Readonly<Record<TelemetryState["recording"], string>> = {
  waiting: "not decided yet",
  buffering: "buffering: sent only if an error occurs",
  recording: "recording: sent as it is made",
  off: "off",
  failed: "failed; the rest of telemetry is not affected",
};

function TraceId({ id }: { id: string }) {
  const [copied, setCopied] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(id);
      setCopied("copied");
    } catch {
      // Not granted, or not a secure context: then the id can still be selected by one click.
      setCopied("not allowed here, select the id");
    }
  };
  return (
    <>
      <code className="trace-id">{id}</code>{" "}
      <button type="button" className="plain" onClick={copy}>Copy trace id</button>{" "}
      <span role="status">{copied}</span>
    </>
  );
}
