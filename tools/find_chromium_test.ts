import assert from "node:assert/strict";
import { chromium } from "@playwright/test";
import { CHROMIUM_ARGS, findChromium } from "./find_chromium.ts";

Deno.test("CHROMIUM_PATH set → used before any other; does not start → error, no other is used", async () => {
  const before = Deno.env.get("CHROMIUM_PATH");
  try {
    // Any program that answers --version will do.
    Deno.env.set("CHROMIUM_PATH", Deno.execPath());
    assert.equal(await findChromium(), Deno.execPath());
    Deno.env.set("CHROMIUM_PATH", "/nowhere/chromium");
    await assert.rejects(
      findChromium(),
      /CHROMIUM_PATH is "\/nowhere\/chromium", which does not start\. Install/,
    );
  } finally {
    if (before === undefined) Deno.env.delete("CHROMIUM_PATH");
    else Deno.env.set("CHROMIUM_PATH", before);
  }
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
