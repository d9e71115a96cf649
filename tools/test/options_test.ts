import assert from "node:assert/strict";
import { UserError } from "../user_error.ts";
import { PARTS, readTestOptions } from "./options.ts";

const read = (...args: string[]) => readTestOptions(args, (path) => path.startsWith("tests/"));

Deno.test("no arguments → all parts", () => {
  assert.deepEqual(read(), { parts: PARTS, paths: [], filter: undefined });
});

Deno.test("arguments → parts, paths, text", () => {
  assert.deepEqual(read("--only=unit,browser", "tests/relay", "too large"), {
    parts: ["unit", "browser"],
    paths: ["tests/relay"],
    filter: "too large",
  });
});

Deno.test("invalid argument → refused by name", () => {
  assert.throws(
    () => read("--only=units"),
    new UserError(
      'Unknown part "units" in --only: known are check, unit, browser.',
    ),
  );
  assert.throws(() => read("--watch"), /Unknown option --watch/);
  assert.throws(() => read("one", "two"), /two texts/);
});
