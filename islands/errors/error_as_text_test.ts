import assert from "node:assert/strict";
import { describeEvent } from "../../monitoring/models/error/error_event.ts";
import { errorAsText } from "./error_as_text.ts";

Deno.test("an exception with a cause → both with stack traces, then the facts", () => {
  const text = errorAsText(describeEvent({
    release: "page@1",
    exception: {
      values: [
        { type: "TypeError", value: "inner" },
        {
          type: "Error",
          value: "outer",
          stacktrace: { frames: [{ function: "run", filename: "a.ts", lineno: 3, colno: 7 }] },
        },
      ],
    },
  }));
  assert.equal(
    text,
    "Error: outer\n    at run (a.ts:3:7)\n\n  Caused by: TypeError: inner\n\nlevel: error\nrelease: page@1\n",
  );
});

Deno.test("a message, an exception group, an invalid time → text without the missing parts", () => {
  assert.equal(
    errorAsText(describeEvent({ message: "m", timestamp: "never" })),
    "m\n\nlevel: error\n",
  );
  const group = { exception_id: 0, is_exception_group: true };
  const text = errorAsText(describeEvent({
    exception: {
      values: [
        {
          type: "E",
          value: "one",
          mechanism: { exception_id: 1, parent_id: 0, source: "errors[0]" },
        },
        { type: "AggregateError", mechanism: group },
      ],
    },
  }));
  assert.match(text, /^AggregateError\n\n {2}errors\[0\] of AggregateError: E: one$/m);
});
