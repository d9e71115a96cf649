import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");

/** What the launcher and the build are made of; the rest of the project is not in it. */
const REAL = [
  "config.ts",
  "monitoring/envelope/dsn.ts",
  "monitoring/settings.ts",
  "server",
  "tools/build.ts",
  "tools/build_site.ts",
  "tools/commit.ts",
  "tools/permissions.ts",
  "tools/processes.ts",
  "tools/start.ts",
];

/** A server of a page and three lines; tells each signal, and ends with a code of its own. */
const MAIN = `
import { App } from "./server/app.ts";
import { launcherGone } from "./server/launcher.ts";

const app = await App.load({
  root: new URL("./", import.meta.url),
  build: new URL(".build/", import.meta.url),
  variant: "default",
  state: null,
});
console.log("commit " + Deno.env.get("SIGHTGLASS_COMMIT"));
let server;
const stop = async (why) => {
  console.log("stopping: " + why);
  await server.shutdown();
  Deno.exit(7);
};
Deno.addSignalListener("SIGTERM", () => stop("SIGTERM"));
Deno.addSignalListener("SIGINT", () => stop("SIGINT"));
launcherGone().then(() => stop("the launcher is gone"));
server = Deno.serve({
  hostname: Deno.env.get("HOST") ?? "127.0.0.1",
  port: Number(Deno.env.get("PORT")),
  onListen: ({ port }) => console.log("Listening on http://127.0.0.1:" + port + "/"),
}, app.handler);
`;

const OWN = {
  "main.ts": MAIN,
  "client.ts": 'import { hydrateIslands } from "./server/client/hydrate.ts";\nhydrateIslands();\n',
  "monitoring/browser/build.ts":
    "export const esbuildOptions = {};\nexport const extraAssets = async () => ({});\n",
  "routes/_app.tsx":
    "export default ({ children }: any) => <html><head></head><body>{children}</body></html>;\n",
  "routes/index.tsx": "export default () => <p>first</p>;\n",
  ".git/HEAD": `${"c".repeat(40)}\n`,
};

const folder = await Deno.makeTempDir({ prefix: "start-" });
for (const path of REAL) await copy(`${ROOT}/${path}`, `${folder}/${path}`);
for (const [path, text] of Object.entries(OWN)) await write(path, text);
const { imports, compilerOptions } = JSON.parse(await Deno.readTextFile(`${ROOT}/deno.json`));
// Packages are the project's own: nothing may be installed into them from here, and no lock written.
const CONFIG = { nodeModulesDir: "manual", lock: false, imports, compilerOptions };
await write("deno.json", JSON.stringify(CONFIG));
await write("deno.lock", "{}");
await Deno.symlink(`${ROOT}/node_modules`, `${folder}/node_modules`);

Deno.test.afterAll(() => Deno.remove(folder, { recursive: true }));

Deno.test("it builds once, runs the server, hands on one signal, and ends with the server's code", async () => {
  const first = await launch();
  assert.match(first.text(), /^Building the page\n/);
  assert.match(first.text(), new RegExp(`commit ${"c".repeat(40)}`));
  const page = await fetch(first.origin);
  assert.match(await page.text(), /<p>first<\/p>/);
  first.process.kill("SIGTERM");
  first.process.kill("SIGTERM");
  assert.equal((await first.process.status).code, 7);
  await first.closed;
  assert.equal(first.text().match(/stopping: SIGTERM/g)?.length, 1);

  const second = await launch();
  assert.doesNotMatch(second.text(), /Building/);
  second.process.kill("SIGINT");
  assert.equal((await second.process.status).code, 7);
  await second.closed;

  await write("routes/index.tsx", "export default () => <p>changed</p>;\n");
  const third = await launch();
  assert.match(third.text(), /Building/);
  assert.match(await (await fetch(third.origin)).text(), /changed/);
  third.process.kill("SIGTERM");
  await third.process.status;
  await third.closed;
});

Deno.test("a launcher that is killed leaves no server behind", async () => {
  const { process, closed, text } = await launch();
  process.kill("SIGKILL");
  await process.status;
  // The pipe of the server's output closes when it ends, and only then.
  await closed;
  assert.match(text(), /stopping: the launcher is gone/);
});

Deno.test("a wrong environment is one line and code 1, and nothing is built for it", async () => {
  const process = spawn({ PORT: "many" });
  const { code, stderr } = await process.output();
  assert.equal(code, 1);
  assert.match(new TextDecoder().decode(stderr), /^Cannot start: PORT is "many", allowed is .*\n$/);
});

Deno.test("a failing build says where, and no server runs", async () => {
  await write("routes/index.tsx", "export default () => <p>;\n");
  const { code, stderr, stdout } = await spawn({}).output();
  assert.equal(code, 1);
  assert.match(new TextDecoder().decode(stderr), /routes\/index\.tsx:\d+:\d+/);
  assert.equal(new TextDecoder().decode(stdout), "");
  const failing = 'export default () => {\n  throw new Error("while rendering");\n};\n';
  await write("routes/index.tsx", failing);
  const rendering = await spawn({}).output();
  assert.equal(rendering.code, 1);
  assert.match(
    new TextDecoder().decode(rendering.stderr),
    /while rendering\n\s+at .*routes\/index\.tsx:2:\d+\n/,
  );
  await write("routes/index.tsx", OWN["routes/index.tsx"]);
});

function spawn(env: Record<string, string>): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", `${folder}/tools/start.ts`],
    cwd: folder,
    env: { PORT: "0", HOST: "127.0.0.1", SENTRY_DSN: "", SIGHTGLASS_COMMIT: "", ...env },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

interface Launched {
  readonly process: Deno.ChildProcess;
  readonly origin: string;
  /** All that was printed so far. */
  text(): string;
  /** Resolves when nobody can print any more: the launcher and the server are gone. */
  readonly closed: Promise<unknown>;
}

/** The launcher, once its server answers. */
async function launch(): Promise<Launched> {
  const process = spawn({});
  let printed = "";
  const { promise: listening, resolve, reject } = Promise.withResolvers<string>();
  const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      printed += text;
      const origin = /Listening on (\S+)/.exec(printed)?.[1];
      if (origin !== undefined) resolve(origin);
    }
  };
  const closed = Promise.all([read(process.stdout), read(process.stderr)]);
  closed.then(() => reject(new Error(`It ended before it listened:\n${printed}`)));
  return { process, origin: await listening, text: () => printed, closed };
}

async function write(path: string, text: string): Promise<void> {
  await Deno.mkdir(`${folder}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
  await Deno.writeTextFile(`${folder}/${path}`, text);
}

async function copy(from: string, to: string): Promise<void> {
  if (!(await Deno.stat(from)).isDirectory) {
    await Deno.mkdir(to.replace(/\/[^/]*$/, ""), { recursive: true });
    return await Deno.copyFile(from, to);
  }
  for await (const { name } of Deno.readDir(from)) {
    if (name !== "testdata") await copy(`${from}/${name}`, `${to}/${name}`);
  }
}
