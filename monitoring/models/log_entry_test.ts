import assert from "node:assert/strict";
import { errorEntry } from "./error/error_entry.ts";
import { logEntry } from "./log_entry.ts";

Deno.test("level names of any SDK → the same severity in logs and errors", () => {
  const levels = ["fatal", "critical", "error", "warning", "warn", "log", "info", "debug", "trace"];
  assert.deepEqual(
    levels.map((level) => [logEntry({ level }, 0).level, errorEntry({ level }, 0).level]),
    [
      ["fatal", "fatal"],
      ["fatal", "fatal"],
      ["error", "error"],
      ["warn", "warning"],
      ["warn", "warning"],
      ["info", "log"],
      ["info", "info"],
      ["debug", "debug"],
      ["trace", "debug"],
    ],
  );
});

Deno.test("unknown level → info for a log, error for an event; severity number → its level", () => {
  assert.equal(logEntry({ level: "loud" }, 0).level, "info");
  assert.equal(errorEntry({ level: "loud" }, 0).level, "error");
  const levels = [1, 5, 9, 13, 17, 24].map((severity_number) =>
    logEntry({ severity_number }, 0).level
  );
  assert.deepEqual(levels, ["trace", "debug", "info", "warn", "error", "fatal"]);
  assert.equal(logEntry({ level: "shout", severity_number: 17 }, 0).level, "error");
  for (const severity_number of [0, -3, 1e9, NaN, "9", null]) {
    assert.equal(logEntry({ severity_number }, 0).level, "info");
  }
});
