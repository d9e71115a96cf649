import type { Client } from "@sentry/core/browser";
import { replayIntegration } from "@sentry/replay";
import { settings } from "../settings.ts";
import type { IsOwnRequest } from "./own_requests.ts";
import { maskAttribute } from "./privacy/attributes.ts";
import { type FilmedEvent, scrubFilmedEvent } from "./privacy/filmed_event.ts";
import { scrubRecordingEntry } from "./privacy/recording_entry.ts";
import type { TelemetryState, TelemetryStore } from "./telemetry_state.ts";
import { trustWorker } from "./trusted_worker.ts";

export interface RecordingOptions {
  readonly client: Client;
  readonly isOwn: IsOwnRequest;
  readonly store: TelemetryStore;
  /** Whether an error was sent before the recorder could know of it. */
  readonly failedBefore: boolean;
}

/** What is asked of the SDK's buffer of events; of the one without a worker there is nothing to wait for. */
interface EventBuffer {
  readonly type: string;
  ensureWorkerIsLoaded?(): Promise<void>;
}

/** Said where the recorder does without its worker. */
const UNPACKED = "not compressed: the recorder’s worker did not start";

/** Reasons for which the SDK ends a recording that is nobody's wish. */
const FAILURES: ReadonlySet<string> = new Set([
  "sendError",
  "eventBufferError",
  "eventBufferOverflow",
  "mutationLimit",
]);

/**
 * Starts the recorder: of a sampled session at once, of any other into a buffer that is sent when an
 * error occurs.
 *
 * @returns to be called after a segment was sent: the recorder tells nobody when it goes over from
 * buffering to recording
 */
export function startRecording(
  { client, isOwn, store, failedBefore }: RecordingOptions,
): () => void {
  const replay = replayIntegration({
    maskAllText: settings.maskAllText,
    maskAllInputs: settings.maskAllInputs,
    blockAllMedia: settings.blockAllMedia,
    networkCaptureBodies: false,
    // Off: what a click changes here is telemetry and blocked from recording, so that most clicks
    // would be reported as dead.
    slowClickTimeout: 0,
    workerUrl: workerUrl(),
    beforeAddRecordingEvent: (entry) => scrubRecordingEntry(entry as never, isOwn, location.origin),
  });

  // The SDK's options name attributes to mask; we name those not to, and also look at addresses in
  // what is filmed, for which it has no option at all. Without its recorder's options nothing is
  // recorded: no recording is better than one that tells.
  const recorder = replay["_recordingOptions"];
  if (typeof recorder?.maskAttributeFn !== "function") throw new Error("unknown recorder");
  recorder.maskAttributeFn = maskAttribute;
  recorder.plugins = [{
    name: "addresses",
    options: {},
    eventProcessor: (event: FilmedEvent) => scrubFilmedEvent(event, location.origin),
  }];

  function refresh(): void {
    const mode = replay.getRecordingMode();
    if (mode === undefined) return;
    store.update({
      recording: mode === "session" ? "recording" : "buffering",
      replayId: replay.getReplayId(),
    });
    void tellPacking();
  }
  /** The SDK does without its worker, and tells nobody. */
  async function tellPacking(): Promise<void> {
    const buffer: EventBuffer | null | undefined = replay["_replay"]?.eventBuffer;
    await buffer?.ensureWorkerIsLoaded?.();
    store.update({ packing: buffer?.type === "sync" ? UNPACKED : undefined });
  }
  client.on("replayStart", () => setTimeout(refresh));
  client.on("replayEnd", ({ reason }) => {
    const recording: TelemetryState["recording"] = FAILURES.has(reason) ? "failed" : "off";
    store.update({ recording, replayId: undefined });
  });
  client.addIntegration(replay);
  if (replay.getRecordingMode() === undefined) store.update({ recording: "off" });
  // The visit with an error is one to be recorded, also where the error came first.
  const sampled = Math.random() < settings.replaysOnErrorSampleRate;
  if (failedBefore && sampled && replay.getRecordingMode() === "buffer") void replay.flush();
  refresh();
  return () => setTimeout(refresh);
}

/** The worker as a file of this origin; undefined: the recording is sent uncompressed. */
function workerUrl(): string | undefined {
  try {
    const url = import.meta.resolve("replay-worker");
    trustWorker(url);
    return url;
  } catch {
    // Not in the import map, or the policy was refused: the recorder does without.
    return undefined;
  }
}
