import assert from "node:assert/strict";
import { readFuzzOptions } from "./fuzz.ts";
import { UserError } from "./user_error.ts";

Deno.test("fuzz options → seconds and seed, with defaults", () => {
  assert.deepEqual(readFuzzOptions([], 7), { seconds: 30, seed: 7 });
  assert.deepEqual(readFuzzOptions(["--seconds=5", "--seed=9"], 7), { seconds: 5, seed: 9 });
});

Deno.test("fuzz options: unknown, or not a whole number → refused", () => {
  for (const arg of ["--seconds", "--seconds=x", "--seed=-1", "--runs=3", "5"]) {
    assert.throws(() => readFuzzOptions([arg], 7), UserError, arg);
  }
});
