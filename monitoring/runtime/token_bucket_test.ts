import assert from "node:assert/strict";
import { TokenBucket } from "./token_bucket.ts";

function bucket(perSecond: number, burst: number) {
  const clock = { ms: 0 };
  return { clock, bucket: new TokenBucket({ perSecond, burst, now: () => clock.ms }) };
}

const taken = (from: TokenBucket, tries: number) =>
  Array.from({ length: tries }, () => from.take()).filter(Boolean).length;

Deno.test("burst → at most the saved tokens", () => {
  assert.equal(taken(bucket(10, 5).bucket, 20), 5);
});

Deno.test("time passes → tokens return, up to the burst size", () => {
  const { clock, bucket: tokens } = bucket(10, 5);
  taken(tokens, 5);
  clock.ms += 99;
  assert.equal(tokens.take(), false);
  clock.ms += 1;
  assert.equal(tokens.take(), true);
  clock.ms += 60_000;
  assert.equal(taken(tokens, 20), 5);
});

Deno.test("take without a token → does not delay the next one", () => {
  const { clock, bucket: tokens } = bucket(10, 1);
  tokens.take();
  for (let ms = 0; ms < 100; ms++) {
    assert.equal(tokens.take(), false, `${ms} ms`);
    clock.ms++;
  }
  assert.equal(tokens.take(), true);
});
