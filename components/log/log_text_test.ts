import assert from "node:assert/strict";
import type { LogRow } from "../../monitoring/inbox/read/rows.ts";
import { cutText, logAttributes, logLine } from "./log_text.ts";

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

Deno.test("a message of a megabyte costs a line, and a screen when it is opened", () => {
  const body = "x".repeat(1_000_000);
  assert.ok(logLine(row({ body })).message.length < 500);
  assert.deepEqual(cutText(body).more, 980_000);
});

Deno.test("a text is not cut within a character", () => {
  assert.equal(cutText("ab😀", 3).text, "ab");
  assert.equal(cutText("ab😀", 4).text, "ab😀");
});

Deno.test("all attributes are there when it is opened, one's own first, bounded in number and length", () => {
  const attributes = Object.fromEntries(
    Array.from({ length: 1000 }, (_, index) => [`sentry.a${index}`, "y".repeat(30_000)]),
  );
  const { shown, more } = logAttributes(row({ attributes: { ...attributes, mine: true } }));
  assert.deepEqual(shown[0], { name: "mine", value: { text: "true", more: 0 } });
  assert.equal(shown.length + more, 1001);
  assert.ok(shown.every(({ value }) => value.text.length <= 20_000));
});

Deno.test("an attribute named as what objects have is an attribute", () => {
  const attributes = JSON.parse('{"__proto__": "a", "constructor": "b"}');
  assert.deepEqual(logAttributes(row({ attributes })).shown.map(({ name }) => name), [
    "__proto__",
    "constructor",
  ]);
});
