/** `deno task sourcemaps --to` with what bundlers write, without any plugin for debug ids. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import { projectRoot } from "../../tools/project_files.ts";
import { startServer } from "../harness/server_process.ts";
import { isAvailable } from "../harness/is_available.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";
import { BUNDLERS, bundleShop, THROWN_AT, uploadMaps } from "./_bundled_shop.ts";

const server = await startServer();
Deno.test.afterAll(async () => void await server.stop());

const MAP = JSON.stringify({ version: 3, sources: ["a.ts"], names: [], mappings: "AAAA" });

/** Texts of a build's files, by path. */
function filesIn(folder: string): Map<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name}`).filter((path) => Deno.statSync(path).isFile);
  return new Map(paths.map((path) => [path, Deno.readTextFileSync(path)]));
}

/** A script without the lines that Sentry's tool adds. */
const codeOf = (script: string) =>
  script.replace(/^(!function\(\)\{try.*\}\(\);|\/\/# debugId=.*)$/gm, "").replaceAll("\n", "");

async function mapInInbox(id: string): Promise<string> {
  return await (await fetch(`${server.origin}/monitoring/inbox?map=${id}`)).text();
}

for (const bundler of BUNDLERS) {
  Deno.test(`output of ${bundler} → unchanged without --inject; with it mapped by debug ids`, async () => {
    await using shop = await bundleShop(bundler);
    const before = filesIn(shop.dist);
    const asked = await uploadMaps(server.origin, shop.dist);
    assert.equal(asked.code, 1, asked.output);
    assert.match(asked.output, /^Cannot upload source maps: .* debug id.* --inject: .*\n$/);
    assert.deepEqual(filesIn(shop.dist), before);

    const { code, output } = await uploadMaps(server.origin, shop.dist, "--inject");
    assert.equal(code, 0, output);
    const after = filesIn(shop.dist);
    const scripts = [...after].filter(([path]) => path.endsWith(".js"));
    assert.ok(scripts.length >= 2, "a chunk is loaded on demand");
    const ids = new Set<string>();
    const mapped: string[] = [];
    for (const [path, script] of scripts) {
      assert.equal(codeOf(script), codeOf(before.get(path)!), "only the id is added");
      const [, id = ""] = /^\/\/# debugId=(.*)$/m.exec(script) ?? [];
      ids.add(id);
      assert.equal(JSON.parse(after.get(`${path}.map`)!).debugId, id);
      const map = await mapInInbox(id);
      assert.equal(JSON.parse(map).x_script, script);
      const thrown = script.search(/RangeError\(["`]The cart/);
      if (thrown === -1) continue;
      const above = script.slice(0, thrown + 1).split("\n");
      const position = { line: above.length, column: above.at(-1)!.length };
      const { source, line } = originalPositionFor(new TraceMap(map), position);
      mapped.push(`${source}:${line}`);
    }
    assert.match(mapped.join(), new RegExp(`src/cart\\.js:${THROWN_AT}$`));
    assert.equal(ids.size, scripts.length);

    const again = await uploadMaps(server.origin, shop.dist, "--inject");
    assert.equal(again.code, 0, again.output);
    assert.deepEqual(filesIn(shop.dist), after);
  });
}

Deno.test("debug id in the script alone, by Sentry's plugins or tool → that one, files unchanged", async () => {
  const id = (n: number) => `5c1d7a2e-3b4f-4c8a-9d6e-7f8091a2b3c${n}`;
  using folder = temporaryFolder();
  const files = {
    "plugin.js": `e._sentryDebugIdIdentifier="sentry-dbid-${id(1)}";a()`,
    "tool.js": `a()\n//# debugId=${id(2)}\n//# sourceMappingURL=tool.js.map`,
    "plugin.js.map": MAP,
    "tool.js.map": MAP,
    // No script is beside it.
    "other.js.map": MAP,
  };
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${folder.path}/${name}`, text);
  }
  const { code, output } = await uploadMaps(server.origin, folder.path, "--inject");
  assert.equal(code, 0, output);
  assert.match(output, /Not uploaded, no debug id.*: other\.js\.map\./);
  assert.match(await mapInInbox(id(1)), /"mappings":"AAAA"/);
  assert.match(await mapInInbox(id(2)), /"mappings":"AAAA"/);
  for (const [path, text] of filesIn(folder.path)) {
    assert.equal(text, files[path.slice(folder.path.length + 1) as keyof typeof files]);
  }
});

Deno.test("nothing to upload → one line with the reason, code 1", async () => {
  using folder = temporaryFolder();
  await Deno.writeTextFile(`${folder.path}/a.css.map`, MAP);
  const reasons = {
    [folder.path]: `${folder.path} has no .js.map, .cjs.map or .mjs.map.`,
    [`${folder.path}/dist`]: `there is no folder ${folder.path}/dist.`,
    [`${folder.path}/a.css.map`]: `there is no folder ${folder.path}/a.css.map.`,
  };
  for (const [path, reason] of Object.entries(reasons)) {
    const { code, output } = await uploadMaps(server.origin, path);
    assert.equal(code, 1);
    assert.equal(
      output,
      `Cannot upload source maps: ${reason}\n`,
    );
  }
});

Deno.test({
  name: "terminal → asks; no: files unchanged, yes: debug ids written",
  ignore: !await isAvailable("script", "--version"),
  async fn() {
    await using shop = await bundleShop("esbuild");
    const before = filesIn(shop.dist);
    const upload = async (answer: string) => {
      const command =
        `${Deno.execPath()} task --quiet sourcemaps --to ${server.origin} ${shop.dist}`;
      // `script` runs it in a terminal of its own.
      const child = new Deno.Command("script", {
        args: ["--quiet", "--return", "--command", command, "/dev/null"],
        cwd: projectRoot,
        stdin: "piped",
        stdout: "piped",
      }).spawn();
      const output = child.output();
      await new Blob([`${answer}\n`]).stream().pipeTo(child.stdin);
      const { code, stdout } = await output;
      const text = new TextDecoder().decode(stdout);
      assert.match(text, /main\.js.*\[y\/N\]/s);
      return { code, text };
    };
    const no = await upload("n");
    assert.equal(no.code, 1, no.text);
    assert.deepEqual(filesIn(shop.dist), before);
    const yes = await upload("y");
    assert.equal(yes.code, 0, yes.text);
    assert.notDeepEqual(filesIn(shop.dist), before);
  },
});
