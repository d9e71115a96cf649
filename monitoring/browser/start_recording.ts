import type { Client } from "@sentry/core/browser";
import { replayIntegration } from "@sentry/replay";
import { settings } from "../settings.ts";
import type { Consent, SignalKind } from "./consent.ts";
import type { IsMonitoringRequest } from "./monitoring_requests.ts";
import {
  maskAttribute,
  type RecordedEvent,
  scrubRecordedEvent,
  scrubRecordingEntry,
} from "./privacy/recording.ts";
import type { TelemetryState, TelemetryStore } from "./telemetry_state.ts";

/** Options of {@linkcode startRecording}. */
interface RecordingOptions {
  readonly client: Client;
  /** Its requests are left out of recordings. */
  readonly isMonitoringRequest: IsMonitoringRequest;
  /** Receives the state of the recording. */
  readonly store: TelemetryStore;
  /** Whether an error was sent before the recorder was loaded. */
  readonly hadError: boolean;
  readonly consent: Consent;
}

export type Recorder = ReturnType<typeof startRecording>;

/** The used part of the recorder's event buffer. Only the one with a worker can be awaited. */
interface EventBuffer {
  readonly type: string;
  ensureWorkerIsLoaded?(): Promise<void>;
}

/** Shown on the page if the recorder runs without its worker. */
const NOT_COMPRESSED = "not compressed: the recorder’s worker did not start";

/** The SDK's reasons for ending a recording because of a failure. */
const FAILURES: ReadonlySet<string> = new Set([
  "sendError",
  "eventBufferError",
  "eventBufferOverflow",
  "mutationLimit",
]);

/**
 * Adds an empty text to each `<style data-static>`, whose rules no script changes. The recorder then takes its text as
 * it is. Otherwise it reads every rule from the browser, a quarter of its first snapshot's time. To call a frame before
 * the start: the browser applies the styles again.
 */
export function splitStaticStyles(): void {
  for (const style of document.querySelectorAll("style[data-static]")) style.append("");
}

/**
 * Starts the recorder: sampled sessions are sent, others are buffered until an error occurs.
 *
 * @throws {TypeError} the SDK's options for masking are unknown: nothing is recorded
 */
export function startRecording(
  { client, isMonitoringRequest, store, hadError, consent }: RecordingOptions,
) {
  const replay = replayIntegration({
    maskAllText: settings.maskAllText,
    maskAllInputs: settings.maskAllInputs,
    blockAllMedia: settings.blockAllMedia,
    networkCaptureBodies: false,
    // Off: most clicks on this page change only what is blocked from recording, and would be reported
    // as dead clicks.
    slowClickTimeout: 0,
    workerUrl: trustWorkerUrl(),
    beforeAddRecordingEvent(entry) {
      // Browsers report requests again that were made before they were granted.
      const isAllowed = (kind: SignalKind) => consent.allows(kind, inMilliseconds(entry.timestamp));
      // Performance entries are what traces consist of: page loads, requests, web vitals.
      if (!isAllowed("recordings")) return null;
      if (entry.data.tag === "performanceSpan" && !isAllowed("traces")) return null;
      return scrubRecordingEntry(entry as never, isMonitoringRequest, location.origin);
    },
  });

  // The SDK's options list attributes to mask, and have none for addresses. We set the recorder's own
  // options: a list of allowed attributes, and a filter. TypeScript checks the names of private fields.
  const recorder = replay["_recordingOptions"];
  if (typeof recorder?.maskAttributeFn !== "function") {
    throw new TypeError("Cannot mask recordings: the SDK has no `maskAttributeFn`.");
  }
  recorder.maskAttributeFn = maskAttribute;
  recorder.plugins = [{
    name: "addresses",
    options: {},
    eventProcessor: (event: RecordedEvent) => scrubRecordedEvent(event, location.origin),
  }];

  function refresh(): void {
    const mode = replay.getRecordingMode();
    if (mode === undefined) return;
    store.update({
      recording: mode === "session" ? "recording" : "buffering",
      replayId: replay.getReplayId(),
    });
    void checkCompression();
  }
  /** To call after a segment was sent: the SDK has no event for the change from buffering to recording. */
  const refreshLater = () => void setTimeout(refresh);
  /** The SDK falls back to uncompressed recordings without an event. */
  async function checkCompression(): Promise<void> {
    const buffer: EventBuffer | null | undefined = replay["_replay"]?.eventBuffer;
    await buffer?.ensureWorkerIsLoaded?.();
    store.update({ compressionProblem: buffer?.type === "sync" ? NOT_COMPRESSED : undefined });
  }
  // The SDK emits this just before it starts to record.
  client.on("replayStart", refreshLater);
  client.on("replayEnd", ({ reason }) => {
    const recording: TelemetryState["recording"] = FAILURES.has(reason) ? "failed" : "off";
    store.update({ recording, replayId: undefined });
  });
  client.addIntegration(replay);
  if (replay.getRecordingMode() === undefined) store.update({ recording: "off" });
  // `replaysOnErrorSampleRate` also covers errors from before the recorder was loaded.
  const sampled = Math.random() < settings.replaysOnErrorSampleRate;
  if (hadError && sampled && replay.getRecordingMode() === "buffer") void replay.flush();
  refresh();
  let stopped = Promise.resolve();
  return {
    refreshLater,
    /** Starts a new recording after `stop`, sampled as at first. */
    async start() {
      // The SDK ends a recording asynchronously, and would end the new one with it.
      await stopped;
      if (!consent.allows("recordings") || replay.getRecordingMode() !== undefined) return;
      const recorder = replay["_replay"];
      // A flush that `stop` interrupted waits for a worker that has ended, and later ones for that flush.
      if (recorder) recorder["_flushLock"] = undefined;
      if (Math.random() < settings.replaysSessionSampleRate) replay.start();
      else replay.startBuffering();
      refresh();
    },
    /** Sends what is recorded until now. */
    flush() {
      // The SDK would start a recorder that has stopped.
      if (replay.getRecordingMode() !== undefined) void replay.flush();
    },
    /** Deletes what is recorded and not sent, without a last segment. */
    stop: () => void (stopped = replay.stop({ flush: false })),
  };
}

/** The SDK gives some entries times in seconds. */
const inMilliseconds = (time: number) => time > 1e11 ? time : time * 1000;

/** Allows the compression worker. Returns its address; undefined: recordings are sent uncompressed. */
function trustWorkerUrl(): string | undefined {
  try {
    const url = import.meta.resolve("replay-worker");
    trustWorker(url);
    return url;
  } catch (error) {
    // Missing in the import map, or the Trusted Types policy was refused.
    if (!(error instanceof TypeError)) throw error;
    return undefined;
  }
}

/** The used part of Trusted Types (https://www.w3.org/TR/trusted-types/). */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string | null }): unknown;
}

/**
 * Allows one worker address under `require-trusted-types-for 'script'`. The SDK passes a string to
 * `new Worker`, so the default policy decides; HTML and scripts remain forbidden.
 */
function trustWorker(url: string): void {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  trustedTypes?.createPolicy("default", {
    createScriptURL: (requested) => requested === url ? requested : null,
  });
}
