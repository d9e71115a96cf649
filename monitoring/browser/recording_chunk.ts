/**
 * What the page loads to record itself, after telemetry. It imports telemetry, so that the bundler leaves what both use in
 * telemetry's file.
 */
import "./start_telemetry.ts";
export { splitStaticStyles, startRecording } from "./start_recording.ts";
