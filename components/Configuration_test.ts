import assert from "node:assert/strict";
import { settings } from "../monitoring/settings.ts";
import { settingRows } from "./Configuration.tsx";

Deno.test("the six settings → names and values as specified", () => {
  assert.deepEqual(settingRows(settings).map(([name, value]) => [name, `${value}`]), [
    ["Tracing sample rate", "1"],
    ["Session-recording sample rate", "0.1"],
    ["Session-recording sample rate when an error occurs", "1"],
    ["Structured logs", "enabled"],
    ["Text and inputs in recordings", "masked"],
    ["Media in recordings", "blocked"],
  ]);
});

Deno.test("other values → shares in percent, and what is off", () => {
  const rows = settingRows({
    ...settings,
    tracesSampleRate: 0.125,
    enableLogs: false,
    maskAllInputs: false,
    blockAllMedia: false,
  });
  assert.deepEqual(rows.flatMap(([, , share]) => share ?? []), [
    "12.5\u00a0% of traces",
    "10\u00a0% of sessions",
    "100\u00a0% of the other sessions",
  ]);
  assert.deepEqual(rows.slice(3).map(([, value]) => value), [
    "disabled",
    "text masked, inputs not masked",
    "not blocked",
  ]);
});
