/** `deno task sourcemaps` against a stand-in Sentry. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { loadConfig } from "../../config/config.ts";
import { readManifest } from "../../server/manifest.ts";
import { projectRoot } from "../../tools/project_files.ts";
import { serverEnvironment } from "../../tools/run/processes.ts";
import { runDeno } from "../harness/run_program.ts";
import { startServer } from "../harness/server_process.ts";
import { readArtifactBundle } from "./_artifact_bundle.ts";
import { startStandInSentry } from "./_stand_in_sentry.ts";

const BUILD = new URL("../../.build/", import.meta.url);
const TOKEN = "sntrys_a-secret-token";
const TARGET = { SENTRY_AUTH_TOKEN: TOKEN, SENTRY_ORG: "acme", SENTRY_PROJECT: "page" };
/** These must have no effect on Sentry's tool. */
const HARMFUL = { SENTRY_ALLOW_FAILURE: "1", SENTRY_LOG_LEVEL: "debug" };

/** Runs the task with only these `SENTRY_` variables. */
function sourcemaps(env: Record<string, string>) {
  const others = Object.entries(Deno.env.toObject())
    .filter(([name]) => !name.startsWith("SENTRY_"));
  return runDeno(["task", "--quiet", "sourcemaps"], {
    cwd: projectRoot,
    clearEnv: true,
    env: { ...Object.fromEntries(others), NO_COLOR: "1", ...env },
  });
}

/** Names in the project's folder, to detect files left by an upload. */
function folderNames(): string[] {
  return Array.from(Deno.readDirSync(projectRoot), ({ name }) => name).sort();
}

Deno.test("upload → each served script and its map with one debug id, for the current release", async () => {
  await using sentry = startStandInSentry();
  const before = folderNames();
  const { code, output } = await sourcemaps({ ...TARGET, ...HARMFUL, SENTRY_URL: sentry.url });
  assert.equal(code, 0, output);
  const { assets, buildId } = await readManifest(BUILD);
  const config = loadConfig(serverEnvironment(projectRoot, {}));
  const release = config.release ?? buildId;

  const [bundle, ...others] = sentry.bundles;
  assert.ok(bundle);
  assert.deepEqual(others, []);
  const { organization, projects, version } = bundle;
  assert.deepEqual({ organization, projects, version }, {
    organization: "acme",
    projects: ["page"],
    version: release,
  });
  assert.deepEqual(new Set(sentry.authorizations), new Set([`Bearer ${TOKEN}`]));
  const { manifest, files } = readArtifactBundle(bundle.bytes);
  assert.equal(manifest.release, release);

  await using server = await startServer();
  // The recording's worker is prebuilt and has no source map.
  const scripts = Object.keys(assets).filter((name) =>
    name.endsWith(".js") && assets[name]?.kind !== "extra"
  );
  assert.ok(scripts.length >= 10, `${scripts.length}`);
  for (const name of scripts) {
    const served = Buffer.from(await (await fetch(`${server.origin}/assets/${name}`)).bytes());
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
    const stored = Buffer.from(await Deno.readFile(new URL(`maps/${name}.map`, BUILD)));
    assert.deepEqual(Buffer.from(map.bytes), stored);
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

Deno.test("upload refused → the reason, never with the token", async () => {
  await using sentry = startStandInSentry({
    refuse: ({ headers }) =>
      Response.json({ detail: `Invalid token: ${headers.get("Authorization")}` }, { status: 401 }),
  });
  const { code, output } = await sourcemaps({ ...TARGET, ...HARMFUL, SENTRY_URL: sentry.url });
  assert.equal(code, 1, output);
  assert.match(output, /^Sentry's tool failed: [^]*Invalid token[^]*401/);
  assert.ok(!output.includes(TOKEN), output);
  assert.ok(output.includes("[token]"), output);
});

Deno.test("variables missing → named with their purpose, nothing sent", async () => {
  await using sentry = startStandInSentry();
  const one = await sourcemaps({ ...TARGET, SENTRY_URL: sentry.url, SENTRY_ORG: "" });
  assert.equal(one.code, 1);
  assert.match(one.output, /^Cannot upload source maps: not set: SENTRY_ORG \(the [^,]*\)\.\n$/);
  const all = await sourcemaps({ SENTRY_URL: sentry.url });
  assert.equal(all.code, 1);
  for (const name of Object.keys(TARGET)) assert.ok(all.output.includes(name));
  assert.deepEqual(sentry.authorizations, []);
});
