import assert from "node:assert/strict";
import { settings } from "../monitoring/settings.ts";
import { settingRows, type Settings } from "./Configuration.tsx";

Deno.test("the six settings → names and values as specified", () => {
  assert.deepEqual(settingRows(settings).map(({ name, value }) => [name, value]), [
    ["Tracing sample rate", "1"],
    ["Session-recording sample rate", "0.1"],
    ["Session-recording sample rate when an error occurs", "1"],
    ["Structured logs", "enabled"],
    ["Text and inputs in recordings", "masked"],
    ["Media in recordings", "blocked"],
  ]);
});

Deno.test("sample rates → percentages", () => {
  const rows = settingRows({ ...settings, tracesSampleRate: 0.125 });
  assert.deepEqual(rows.flatMap(({ share }) => share ?? []), [
    "12.5\u00a0% of traces",
    "10\u00a0% of sessions",
    "100\u00a0% of the other sessions",
  ]);
});

Deno.test("settings turned off → shown as off", () => {
  const off = settingRows({
    ...settings,
    enableLogs: false,
    maskAllInputs: false,
    blockAllMedia: false,
  });
  assert.deepEqual(off.slice(3).map(({ value }) => value), [
    "disabled",
    "text masked, inputs not masked",
    "not blocked",
  ]);
  const maskingOf = (change: Partial<Settings>) =>
    settingRows({ ...settings, ...change })[4]?.value;
  assert.equal(maskingOf({ maskAllText: false }), "inputs masked, text not masked");
  assert.equal(maskingOf({ maskAllText: false, maskAllInputs: false }), "not masked");
});
