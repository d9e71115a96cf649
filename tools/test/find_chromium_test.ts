import assert from "node:assert/strict";

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
