import assert from "node:assert/strict";
import { nextEnvelope } from "./waiting_queue.ts";

interface Waiting {
  readonly lane?: string;
  readonly isSending?: boolean;
  readonly failures?: number;
  readonly notBefore?: number;
}

const NOW = 100;
const SENDING = { isSending: true };
const LATER = { notBefore: NOW + 1 };

/** Oldest first, by name; and the name of the next one. */
const CASES: readonly (readonly [string, Readonly<Record<string, Waiting>>, string | undefined])[] =
  [
    ["nothing waits → none", {}, undefined],
    [
      "one is being sent, one has to wait → the oldest of the others",
      { a: SENDING, b: LATER, c: {}, d: {} },
      "c",
    ],
    ["one has failed → another one", { bad: { failures: 3 }, good: {} }, "good"],
    ["the only one has failed → that one", { bad: { failures: 3 } }, "bad"],
    [
      "first segment of a recording is being sent → not its next segment",
      { r0: { lane: "r", ...SENDING }, r1: { lane: "r" } },
      undefined,
    ],
    [
      "first segment of a recording has to wait → not its next segment",
      { r0: { lane: "r", ...LATER }, r1: { lane: "r" } },
      undefined,
    ],
    [
      "first segment of a recording has failed → it, before its next segment",
      { r0: { lane: "r", failures: 2 }, r1: { lane: "r" } },
      "r0",
    ],
    [
      "segment of another recording is being sent → not delayed by it",
      { r0: { lane: "r", ...SENDING }, s0: { lane: "s" } },
      "s0",
    ],
  ];
for (const [title, waiting, next] of CASES) {
  Deno.test(title, () => {
    const all = Object.entries(waiting).map(([name, { lane, ...more }]) => (
      { name, meta: { lane }, isSending: false, failures: 0, notBefore: 0, ...more }
    ));
    assert.equal(nextEnvelope(all, ({ notBefore }) => notBefore <= NOW)?.name, next);
  });
}
