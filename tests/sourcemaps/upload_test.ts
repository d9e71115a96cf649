/** `deno task sourcemaps` against a stand-in Sentry. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { effectiveRelease, loadConfig } from "../../config.ts";
import { readManifest } from "../../server/manifest.ts";
import { checkLock, checkVersions } from "../../tools/check/check_lock.ts";
import { projectRoot } from "../../tools/project_files.ts";
import { serverEnvironment } from "../../tools/run/processes.ts";
import { startServer } from "../harness/server_process.ts";
import { readArtifactBundle } from "./_artifact_bundle.ts";
import { startStandInSentry } from "./_stand_in_sentry.ts";

const BUILD = new URL("../../.build/", import.meta.url);
const TOKEN = "sntrys_a-secret-token";
const TARGET = { SENTRY_AUTH_TOKEN: TOKEN, SENTRY_ORG: "acme", SENTRY_PROJECT: "page" };

/** Runs the task with only these `SENTRY_` variables. */
async function sourcemaps(
  env: Record<string, string>,
): Promise<{ readonly code: number; readonly output: string }> {
  const cleared = Object.fromEntries(
    Object.keys(Deno.env.toObject()).filter((name) => name.startsWith("SENTRY_"))
      .map((name) => [name, ""]),
  );
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "sourcemaps"],
    cwd: projectRoot,
    env: { ...cleared, NO_COLOR: "1", ...env },
    stdin: "null",
  }).output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, output: decode(stdout) + decode(stderr) };
}

/** Names in the project's folder, to detect files left by an upload. */
function folderNames(): string[] {
  return Array.from(Deno.readDirSync(projectRoot), ({ name }) => name).sort();
}

Deno.test("upload → each served script and its map with the same debug id", async () => {
  await using sentry = startStandInSentry();
  const before = folderNames();
  const release = "sightglass@1.2.3";
  const { code, output } = await sourcemaps({
    ...TARGET,
    SENTRY_URL: sentry.url,
    SENTRY_RELEASE: release,
    // These must have no effect on the tool.
    SENTRY_ALLOW_FAILURE: "1",
    SENTRY_LOG_LEVEL: "debug",
  });
  assert.equal(code, 0, output);

  const [bundle, ...others] = sentry.bundles;
  assert.ok(bundle);
  assert.deepEqual(others, []);
  assert.equal(bundle.organization, "acme");
  assert.deepEqual(bundle.projects, ["page"]);
  assert.equal(bundle.version, release);
  assert.deepEqual(new Set(sentry.authorizations), new Set([`Bearer ${TOKEN}`]));
  const { manifest, files } = readArtifactBundle(bundle.bytes);
  assert.equal(manifest.release, release);

  await using server = await startServer();
  const { assets } = await readManifest(BUILD);
  // The recording's worker is prebuilt and has no source map.
  const scripts = Object.keys(assets).filter((name) => assets[name]?.kind !== "extra");
  assert.ok(scripts.length >= 10, `${scripts.length}`);
  for (const name of scripts) {
    const served = Buffer.from(
      await (await fetch(`${server.origin}/assets/${name}`)).arrayBuffer(),
    );
    const [, debugId = ""] = /^\(self\._debugIds.*="([0-9a-f-]{36})";\n/m.exec(`${served}`) ?? [];
    assert.match(debugId, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const script = files.find(({ url }) => url === `~/assets/${name}`);
    assert.equal(script?.type, "minified_source", name);
    assert.equal(script.debugId, debugId);
    assert.equal(script.sourcemap, `${name}.map`);
    const copy = Buffer.from(script.bytes);
    assert.ok(copy.subarray(0, served.length).equals(served), `${name} is what is served`);
    const map = files.find(({ url }) => url === `~/assets/${name}.map`);
    assert.equal(map?.type, "source_map", name);
    assert.equal(map.debugId, debugId);
    assert.deepEqual(
      Buffer.from(map.bytes),
      Buffer.from(await Deno.readFile(new URL(`maps/${name}.map`, BUILD))),
    );
    assert.match(output, new RegExp(`^${name} +${debugId} .* bytes`, "m"));
  }
  const { length } = scripts;
  assert.equal(files.length, 2 * length);
  assert.match(
    output,
    new RegExp(`Uploaded ${length} scripts .* acme/page, release ${release}\\.`),
  );
  assert.ok(!output.includes(TOKEN));
  assert.deepEqual(folderNames(), before);
});

Deno.test("no SENTRY_RELEASE → uploaded for the current release", async () => {
  await using sentry = startStandInSentry();
  const { code, output } = await sourcemaps({ ...TARGET, SENTRY_URL: sentry.url });
  assert.equal(code, 0, output);
  const { buildId } = await readManifest(BUILD);
  const config = loadConfig(
    serverEnvironment(projectRoot, { ...Deno.env.toObject(), SENTRY_RELEASE: "" }),
  );
  assert.equal(sentry.bundles[0]?.version, effectiveRelease(config, buildId));
});

Deno.test("outdated build → built again before the upload", async () => {
  await using sentry = startStandInSentry();
  const manifest = new URL("manifest.json", BUILD);
  await Deno.utime(manifest, 0, 0);
  const { code, output } = await sourcemaps({ ...TARGET, SENTRY_URL: sentry.url });
  assert.equal(code, 0, output);
  assert.match(output, /^Building the page$/m);
  assert.ok((await Deno.stat(manifest)).mtime!.getTime() > 0);
  assert.equal(sentry.bundles.length, 1);
});

Deno.test("upload refused → one line, never with the token", async () => {
  await using sentry = startStandInSentry({
    refuse: ({ headers }) =>
      Response.json({ detail: `Invalid token: ${headers.get("Authorization")}` }, { status: 401 }),
  });
  const before = folderNames();
  const { code, output } = await sourcemaps({
    ...TARGET,
    SENTRY_URL: sentry.url,
    SENTRY_ALLOW_FAILURE: "1",
    SENTRY_LOG_LEVEL: "debug",
  });
  assert.equal(code, 1, output);
  assert.match(output, /^Cannot upload source maps: .*Invalid token.*401.*\n$/);
  assert.ok(!output.includes(TOKEN), output);
  assert.ok(output.includes("[token]"), output);
  assert.deepEqual(folderNames(), before);
});

Deno.test("variable missing or invalid → named with its purpose, nothing sent or built", async () => {
  await using sentry = startStandInSentry();
  const before = Deno.statSync(new URL("manifest.json", BUILD)).mtime;
  for (const name of Object.keys(TARGET)) {
    const { code, output } = await sourcemaps({ ...TARGET, SENTRY_URL: sentry.url, [name]: "" });
    assert.equal(code, 1);
    assert.match(
      output,
      new RegExp(`^Cannot upload source maps: ${name} \\(the .*\\) is not set\\.\n$`),
    );
    assert.ok(!output.includes(TOKEN));
  }
  const wrong = await sourcemaps({ ...TARGET, SENTRY_URL: "sentry.example" });
  assert.equal(wrong.code, 1);
  assert.match(wrong.output, /^Cannot upload source maps: SENTRY_URL is "sentry\.example", .*\n$/);
  const { code, output } = await sourcemaps({});
  assert.equal(code, 1);
  for (const name of Object.keys(TARGET)) assert.ok(output.includes(name));
  assert.equal(output.match(/\n/g)?.length, 1);
  assert.deepEqual(sentry.authorizations, []);
  assert.deepEqual(Deno.statSync(new URL("manifest.json", BUILD)).mtime, before);
});

Deno.test("Sentry's tool → exact version and hash, not a dependency of the server", async () => {
  const read = (path: string) => Deno.readTextFile(`${projectRoot}/${path}`);
  const project = await read("tools/sourcemaps/sentry_cli/deno.json");
  assert.deepEqual(checkVersions(project), []);
  const [version] = Object.values(JSON.parse(project).imports as Record<string, string>);
  const lock = await read("tools/sourcemaps/sentry_cli/deno.lock");
  assert.deepEqual(checkLock(lock), []);
  const packages = JSON.parse(lock).npm as Record<string, { integrity?: string }>;
  assert.ok(
    `npm:${Object.keys(packages).find((name) => name.startsWith("@sentry/cli@"))}` === version,
  );
  for (const [name, { integrity }] of Object.entries(packages)) {
    assert.match(integrity ?? "", /^sha512-/, name);
  }
  assert.ok(!(await read("deno.lock")).includes("@sentry/cli"));
});
