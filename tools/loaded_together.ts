/**
 * Modules that pages load at the same moment, after the islands in the first viewport. The build makes one file of each
 * list to save requests.
 */
export const LOADED_TOGETHER: readonly (readonly string[])[] = [
  [
    "server/client/later.ts",
    "islands/overview/Highlights.tsx",
    "islands/shared/source/inbox_source.ts",
    "islands/shared/TabCount.tsx",
    "islands/strip/LivePipelineStrip.tsx",
  ],
  ["monitoring/browser/start_telemetry.ts", "islands/shared/manual_span.ts"],
];
