import assert from "node:assert/strict";
import type { LogRow } from "../../monitoring/models/rows.ts";
import { logAttributes, logLine } from "./log_text.ts";

const row = (part: Partial<LogRow>): LogRow => ({
  envelope: 1,
  index: 0,
  at: 0,
  level: "info",
  body: "",
  attributes: {},
  trace_id: null,
  span_id: null,
  ...part,
});

Deno.test("a row is one line, whatever the message", () => {
  const { message } = logLine(row({ body: "first\n\tsecond\u2028third" }));
  assert.equal(message, "first second third");
});

Deno.test("what was written into the log stands behind it, what the SDK added does not", () => {
  const attributes = { "sentry.release": "r", "browser.name": "Chrome", made_by: "signals", n: 3 };
  assert.deepEqual(logLine(row({ attributes })).attributes, ["made_by=signals", "n=3"]);
});

Deno.test("a row takes no more of a message or an attribute than a screen is wide", () => {
  const long = "x".repeat(2000);
  const { message, attributes } = logLine(row({ body: long, attributes: { long } }));
  assert.match(message, /^x{400}…$/);
  assert.match(attributes[0] ?? "", /^long=x{95}…$/);
});

Deno.test("all attributes are there when it is opened, by name, one's own first", () => {
  const attributes = { "sentry.release": "r", zone: 1, "os.name": "Linux", able: true };
  assert.deepEqual(logAttributes(row({ attributes })).map(({ name, value }) => [name, value]), [
    ["able", "true"],
    ["zone", "1"],
    ["os.name", "Linux"],
    ["sentry.release", "r"],
  ]);
});

Deno.test("an attribute named as what objects have is an attribute", () => {
  const attributes = JSON.parse('{"__proto__": "a", "constructor": "b"}');
  assert.deepEqual(logAttributes(row({ attributes })).map(({ name }) => name), [
    "__proto__",
    "constructor",
  ]);
});
