import assert from "node:assert/strict";
import { nextEnvelope } from "./waiting_queue.ts";

interface Waiting {
  readonly sequence?: string;
  readonly isSending?: boolean;
  readonly failures?: number;
}

/** Oldest first, by name; and the name of the next one. */
const CASES: readonly (readonly [string, Readonly<Record<string, Waiting>>, string])[] = [
  ["one has failed → another one", { bad: { failures: 3 }, good: {} }, "good"],
  [
    "first segment of a recording has failed → it, before its next segment",
    { r0: { sequence: "r", failures: 2 }, r1: { sequence: "r" } },
    "r0",
  ],
  [
    "segment of another recording is being sent → not delayed by it",
    { r0: { sequence: "r", isSending: true }, s0: { sequence: "s" } },
    "s0",
  ],
];
for (const [title, waiting, next] of CASES) {
  Deno.test(title, () => {
    const all = Object.entries(waiting).map(([name, { sequence, ...more }]) => (
      { name, meta: { sequence }, isSending: false, failures: 0, ...more }
    ));
    assert.equal(nextEnvelope(all, () => true)?.name, next);
  });
}
