import assert from "node:assert/strict";
import { settings } from "../monitoring/settings.ts";
import { settingRows } from "./setting_rows.ts";

Deno.test("the six settings in force read as the specification writes them", () => {
  assert.deepEqual(settingRows(settings).map(({ name, value }) => [name, value]), [
    ["Tracing sample rate", "1"],
    ["Session-recording sample rate", "0.1"],
    ["Session-recording sample rate when an error occurs", "1"],
    ["Structured logs", "enabled"],
    ["Text and inputs in recordings", "masked"],
    ["Media in recordings", "blocked"],
  ]);
});

Deno.test("every rate says what it is a share of", () => {
  const shares = settingRows({ ...settings, tracesSampleRate: 0.125 }).flatMap(({ of }) =>
    of ?? []
  );
  assert.deepEqual(shares, [
    "12.5\u00a0% of traces",
    "10\u00a0% of sessions",
    "100\u00a0% of the others",
  ]);
});

Deno.test("a setting that is off is not shown as on", () => {
  const off = settingRows({
    ...settings,
    enableLogs: false,
    maskAllInputs: false,
    blockAllMedia: false,
  });
  assert.deepEqual(off.slice(3).map(({ value }) => value), [
    "disabled",
    "text masked, inputs as typed",
    "as shown",
  ]);
  assert.equal(
    settingRows({ ...settings, maskAllText: false })[4]?.value,
    "inputs masked, text as shown",
  );
  assert.equal(
    settingRows({ ...settings, maskAllText: false, maskAllInputs: false })[4]?.value,
    "as shown",
  );
});
