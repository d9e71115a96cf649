import assert from "node:assert/strict";
import { readArrival } from "../tests/harness/browser/arrived_telemetry.ts";
import { envelopeOf } from "../monitoring/inbox/testdata/envelopes.ts";
import { figureLine, isOver } from "./figures.ts";
import { uploadOf } from "./upload.ts";

const envelope = async (...items: Parameters<typeof envelopeOf>[1][]) =>
  await readArrival(envelopeOf({}, ...items), null);

Deno.test("page load over the budget → fails, and names the items of each envelope", async () => {
  const spans = await envelope(["span", { items: [], padding: "x".repeat(5_800) }]);
  const log = await envelope(["log", { items: [], padding: "x".repeat(300) }]);
  assert.equal(isOver(uploadOf([spans])), false);
  const figure = uploadOf([spans, log]);
  assert.equal(isOver(figure), true);
  const line = figureLine(figure);
  assert.match(line, /^OVER .* 6,\d{3} bytes +at most 6,000\n/);
  assert.match(line, /5,\d{3} uncompressed: 1 × span \(5,\d{3}\)\n.*: 1 × log \(3\d\d\)$/);
});

Deno.test("page load that sent nothing → fails", () => {
  assert.equal(isOver(uploadOf([])), true);
});
