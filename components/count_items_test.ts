import assert from "node:assert/strict";
import { countItems } from "./count_items.ts";

Deno.test("items of one type → one count with their bytes, in order of first appearance", () => {
  assert.deepEqual(
    countItems([
      { type: "replay_event", bytes: 300 },
      { type: "log", bytes: 20 },
      { type: "replay_recording", bytes: 9000 },
      { type: "log", bytes: 22 },
    ]),
    [
      { type: "replay_event", count: 1, bytes: 300 },
      { type: "log", count: 2, bytes: 42 },
      { type: "replay_recording", count: 1, bytes: 9000 },
    ],
  );
  assert.deepEqual(countItems([]), []);
});
