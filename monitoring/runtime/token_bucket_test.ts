import assert from "node:assert/strict";
import { TokenBucket } from "./token_bucket.ts";

function bucket(perSecond: number, burst: number) {
  const clock = { ms: 0 };
  return { clock, bucket: new TokenBucket({ perSecond, burst, now: () => clock.ms }) };
}

Deno.test("burst → at most the saved tokens; they return with time, up to the burst size", () => {
  const { clock, bucket: tokens } = bucket(10, 5);
  const taken = () => Array.from({ length: 20 }, () => tokens.take()).filter(Boolean).length;
  assert.equal(taken(), 5);
  clock.ms += 99;
  assert.equal(taken(), 0);
  clock.ms += 1;
  assert.equal(taken(), 1);
  clock.ms += 60_000;
  assert.equal(taken(), 5);
});

Deno.test("take without a token → does not delay the next one", () => {
  const { clock, bucket: tokens } = bucket(10, 1);
  tokens.take();
  for (; clock.ms < 100; clock.ms++) assert.equal(tokens.take(), false, `${clock.ms} ms`);
  assert.equal(tokens.take(), true);
});
