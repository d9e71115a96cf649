import assert from "node:assert/strict";
import type { LogRow } from "../../monitoring/models/rows.ts";
import { listAttributes, summarizeLog } from "./LogRow.tsx";

const log = (part: Partial<LogRow>): LogRow => ({
  envelope: 1,
  index: 0,
  at: 0,
  level: "info",
  body: "",
  attributes: {},
  trace_id: null,
  span_id: null,
  replay_id: null,
  source: "sightglass",
  ...part,
});

Deno.test("message of several lines → one line", () => {
  const { message } = summarizeLog(log({ body: "first\n\tsecond\u2028third" }));
  assert.equal(message, "first second third");
});

Deno.test("attributes of the log and of the SDK → the row has only those of the log", () => {
  const attributes = { "sentry.release": "r", "browser.name": "Chrome", made_by: "signals", n: 3 };
  assert.deepEqual(summarizeLog(log({ attributes })).attributes, ["made_by=signals", "n=3"]);
});

Deno.test("long message and attribute → cut in the row", () => {
  const long = "x".repeat(2000);
  const { message, attributes } = summarizeLog(log({ body: long, attributes: { long } }));
  assert.match(message, /^x{400}…$/);
  assert.match(attributes[0] ?? "", /^long=x{95}…$/);
});

Deno.test("details → all attributes by name, those of the SDK last", () => {
  const attributes = { "sentry.release": "r", zone: 1, "os.name": "Linux", able: true };
  assert.deepEqual(listAttributes(log({ attributes })).map(({ name, value }) => [name, value]), [
    ["able", "true"],
    ["zone", "1"],
    ["os.name", "Linux"],
    ["sentry.release", "r"],
  ]);
});

Deno.test("attribute with the name of an object's property → listed as any other", () => {
  const attributes = JSON.parse('{"__proto__": "a", "constructor": "b"}');
  assert.deepEqual(listAttributes(log({ attributes })).map(({ name }) => name), [
    "__proto__",
    "constructor",
  ]);
});
