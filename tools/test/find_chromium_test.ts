import assert from "node:assert/strict";
import { chromium } from "@playwright/test";
import { CHROMIUM_ARGS } from "./find_chromium.ts";

/** What `CHROMIUM_PATH=path deno run tools/test/find_chromium.ts` prints. */
async function find(path: string): Promise<{ code: number; out: string; err: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", new URL("./find_chromium.ts", import.meta.url).pathname],
    env: { CHROMIUM_PATH: path, NO_COLOR: "1" },
  }).output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes).trim());
  return { code, out: out ?? "", err: err ?? "" };
}

Deno.test("CHROMIUM_PATH set → used before any other", async () => {
  // Any program that answers --version will do.
  const { code, out } = await find(Deno.execPath());
  assert.equal(code, 0);
  assert.equal(out, Deno.execPath());
});

Deno.test("CHROMIUM_PATH does not start → error, no other is used", async () => {
  const { code, err } = await find("/nowhere/chromium");
  assert.equal(code, 1);
  assert.match(err, /CHROMIUM_PATH is "\/nowhere\/chromium", which does not start\. Install/);
});

Deno.test("features that Playwright turns off → turned off by the switches for tests too", async () => {
  // A program that ends immediately: the error lists the arguments of the launch.
  const failed = await chromium.launch({
    executablePath: "/usr/bin/env",
    args: [...CHROMIUM_ARGS],
  })
    .then(() => "", String);
  const lists = Array.from(
    failed.matchAll(/--disable-features=(\S+)/g),
    ([, names = ""]) => names.split(","),
  );
  assert.ok(lists.length >= 2, failed);
  const last = new Set(lists.at(-1));
  assert.deepEqual(lists[0]?.filter((name) => !last.has(name)), []);
});
