import assert from "node:assert/strict";
import { judgeSizes } from "./size.ts";

/** Of the real page: `deno task test` has built it before. */
const BUILD = new URL("../.build/", import.meta.url);

Deno.test("the built page is within every budget of bytes", async () => {
  const sizes = await judgeSizes(BUILD);
  assert.equal(sizes.length, 5);
  assert.deepEqual(sizes.filter(({ holds }) => !holds).map(({ line }) => line), []);
});
