import assert from "node:assert/strict";
import fc from "fast-check";
import { RememberedKeys } from "./remembered_keys.ts";

/** Keys of which many have the same first word, or almost: they meet in the table. */
const key = (n: number) => {
  const bytes = new Uint8Array(16).fill(n >> 3);
  bytes[0] = 256 - (n & 3);
  bytes[15] = n;
  return bytes;
};

Deno.test("any additions and removals → has the newest keys, as a Map would", () => {
  const command = fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant("add" as const), n: fc.nat(63) }) },
    fc.record({ do: fc.constant("remove" as const), n: fc.nat(8) }),
  );
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.array(command, { maxLength: 200 }),
      (max, commands) => {
        const keys = new RememberedKeys(max);
        const model = new Map<number, number>();
        let now = 0;
        for (const { do: what, n } of commands) {
          now++;
          if (what === "remove") {
            keys.removeUntil(now - n);
            for (const [known, time] of model) if (time <= now - n) model.delete(known);
          } else if (!model.has(n)) {
            keys.add(key(n), now);
            model.set(n, now);
            if (model.size > max) model.delete(model.keys().next().value!);
          }
          assert.equal(keys.size, model.size);
          for (let n = 0; n < 64; n++) assert.equal(keys.has(key(n)), model.has(n), `${n}`);
        }
      },
    ),
  );
});

Deno.test("200,000 random keys and as many more → all of the newest are found, others are not", () => {
  const max = 200_000;
  const keys = new RememberedKeys(max);
  const bytes = Uint32Array.from(
    { length: 4 * 2 * max },
    (_, n) => Math.imul(n + 1, 2_654_435_761),
  );
  const keyAt = (n: number) => new Uint8Array(bytes.buffer, 16 * n, 16);
  for (let n = 0; n < 2 * max; n++) keys.add(keyAt(n), n);
  assert.equal(keys.size, max);
  for (let n = 0; n < 2 * max; n += 97) assert.equal(keys.has(keyAt(n)), n >= max);
});
