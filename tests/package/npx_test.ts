/** The npm package as a user starts it: by `npx`, on a machine with Node alone. */
import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { isAvailable } from "../harness/is_available.ts";
import { filesBelow, pack, userIn } from "../harness/npm_package.ts";
import { runProgram } from "../harness/run_program.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";
import { watchProcess } from "../harness/watched_process.ts";
import { projectRoot } from "../../tools/project_files.ts";

const MAX_BYTES = 12 * 1024 * 1024;
/** The registry's package of Deno for this system is the only download. */
const hasRegistry = await isAvailable("npm", "view", `deno@${Deno.version.deno}`, "version");

/** Names and versions. Bundles have the path of each source as a comment, the page a source map, and the player neither. */
function bundledPackages(bundles: string): string[] {
  const maps = filesBelow(join(projectRoot, ".build/maps"))
    .map((name) => Deno.readTextFileSync(join(projectRoot, ".build/maps", name)));
  const paths = [bundles, ...maps].join().matchAll(/\/\.deno\/([^/]+)@([\d.]+)\//g);
  const names = Array.from(
    paths,
    ([, name = "", version]) => `${name.replace("+", "/")} ${version}`,
  );
  return [...new Set([...names, "@sentry/rrweb 2.43.2"])].sort();
}

Deno.test("deno task pack, twice → the same bytes; no sources or tests; all licences", async () => {
  using first = temporaryFolder();
  using second = temporaryFolder();
  const [file, again] = await Promise.all([pack(first.path), pack(second.path)]);
  const bytes = await Deno.readFile(file);
  assert.deepEqual(bytes, await Deno.readFile(again));
  assert.ok(bytes.length < MAX_BYTES);
  const { stdout } = await runProgram("tar", ["tzf", file]);
  const names = stdout.trim().split("\n");
  assert.ok(names.includes("package/bin.cjs"), stdout);
  assert.deepEqual(names.filter((name) => /\.map$|_test|\.tsx?$|playwright/.test(name)), []);
  const bundle = await runProgram("tar", ["xzOf", file, "--wildcards", "package/app/*.mjs"]);
  const addresses = bundle.stdout.replaceAll(/new URL\("[\w./]+", import\.meta\.url\)/g, "");
  // A module that is loaded by its address, and is not in the package.
  assert.doesNotMatch(addresses, /(load\w*|import|URL)\(\s*"[\w./]+\.ts"/);
  const notices = await runProgram("tar", ["xzOf", file, "package/THIRD_PARTY_LICENSES"]);
  const named = Array.from(notices.stdout.matchAll(/^(\S+ \d\S*), .+$/gm), ([, name]) => name);
  assert.deepEqual(named.sort(), bundledPackages(bundle.stdout));
  const json = await runProgram("tar", ["xzOf", file, "package/package.json"]);
  const { bin, dependencies } = JSON.parse(json.stdout);
  assert.deepEqual([bin, dependencies], [{ sightglass: "bin.cjs" }, { deno: Deno.version.deno }]);
});

Deno.test({
  name: "npx ./sightglass-VERSION.tgz, Node alone → serves; SIGTERM ends all; files in its folder",
  ignore: !hasRegistry || Deno.build.os !== "linux",
  async fn() {
    using folder = temporaryFolder();
    const { path } = folder;
    const place = (name: string) => {
      Deno.mkdirSync(join(path, name));
      return join(path, name);
    };
    const [programs, cwd] = [place("bin"), place("empty")];
    place("home");
    // The shell is npm's own need.
    for (const name of ["node", "npx", "sh"]) {
      const { stdout } = await runProgram("sh", ["-c", `readlink -f "$(command -v ${name})"`]);
      await Deno.symlink(stdout.trim(), join(programs, name));
    }
    const file = await pack(cwd);
    const packed = filesBelow(cwd);
    const env = {
      ...userIn(path),
      PATH: programs,
      TMPDIR: place("tmp"),
      npm_config_cache: join(path, "cache"),
      npm_config_userconfig: join(Deno.env.get("HOME") ?? path, ".npmrc"),
    };
    const start = (arg: string) =>
      watchProcess(["-y", `./${basename(file)}`, arg], {
        program: join(programs, "npx"),
        cwd,
        env,
      });
    for (const cache of ["cold", "warm"]) {
      const startedAt = performance.now();
      await using npx = start("--port=0");
      const address = await npx.printed(/^Listening on (\S+)$/m);
      assert.match(await (await fetch(address)).text(), /<title>/);
      console.log(
        `npx to the page, ${cache} cache: ${Math.round(performance.now() - startedAt)} ms`,
      );
      // npm does not pass it on: the command notices that npm has ended.
      await npx.endsAfter("SIGTERM", 0);
      await assert.rejects(fetch(address));
    }
    // Playwright is installed beside the data, too.
    await using prove = start("prove");
    await prove.printed(/^Cannot prove: .* Use: npx sightglass prove /m);
    assert.equal((await prove.closed).code, 2);
    const written = filesBelow(path).filter((name) => !/^(bin|cache|empty)\//.test(name));
    assert.deepEqual(
      written.filter((name) => !name.startsWith("home/.local/share/sightglass/")),
      [],
    );
    assert.ok(written.some((name) => name.endsWith("data/inbox.sqlite")));
    assert.deepEqual(filesBelow(cwd), packed);
  },
});
