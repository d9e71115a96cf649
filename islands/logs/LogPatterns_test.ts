import assert from "node:assert/strict";
import type { LogRow } from "../../monitoring/models/rows.ts";
import { patternsOf } from "./LogPatterns.tsx";

const log = (body: string, level: LogRow["level"] = "info", application = "api") =>
  ({ body, level, application, envelope: 1, index: 0, at: 1 }) as LogRow;

Deno.test("messages that differ in values → one pattern, with a text that all have; levels apart", () => {
  const patterns = patternsOf([
    log("Charged 27 EUR for order 7"),
    log("Started"),
    log("Charged 30 EUR for order 8", "info", "worker"),
    log("Charged 1 EUR for order 9", "warn"),
  ]);
  assert.deepEqual(
    patterns.map(({ count, newest, text, common, applications }) => [
      count,
      newest.level,
      text,
      common,
      applications,
    ]),
    [
      [2, "info", "Charged … EUR for order …", "EUR for order", ["api", "worker"]],
      [1, "info", "Started", "Started", ["api"]],
      [1, "warn", "Charged 1 EUR for order 9", "EUR for order", ["api"]],
    ],
  );
});

Deno.test("messages of values alone, or none → a pattern without a text", () => {
  assert.deepEqual(patternsOf([log("17"), log("18"), log("")]).map(({ common }) => common), [
    "",
    "",
  ]);
});
