import assert from "node:assert/strict";
import {
  BROWSER_BUILD,
  FIRST_PAGE,
  LauncherProject,
} from "../../tests/harness/launcher_project.ts";

const project = await LauncherProject.create();

Deno.test.afterAll(() => project[Symbol.asyncDispose]());

const LISTENING = /Listening on (\S+)/;

Deno.test("start → builds if needed, passes on one signal, exits with the server's code", async () => {
  const first = project.start();
  const page = await fetch(await first.printed(LISTENING));
  assert.match(await page.text(), /<p>first<\/p>/);
  assert.match(first.text(), /^Building the page\n/);
  assert.match(first.text(), new RegExp(`commit ${"c".repeat(40)}`));
  first.process.kill("SIGTERM");
  first.process.kill("SIGTERM");
  assert.equal((await first.process.status).code, 7);
  await first.closed;
  assert.equal(first.text().match(/stopping: SIGTERM/g)?.length, 1);

  const second = project.start();
  await second.printed(LISTENING);
  assert.doesNotMatch(second.text(), /Building/);
  second.process.kill("SIGINT");
  assert.equal((await second.process.status).code, 7);
  await second.closed;
  assert.match(second.text(), /stopping: SIGINT/);

  await project.write("routes/index.tsx", "export default () => <p>changed</p>;\n");
  const third = project.start();
  assert.match(await (await fetch(await third.printed(LISTENING))).text(), /changed/);
  assert.match(third.text(), /Building/);
  third.process.kill("SIGTERM");
  await third.process.status;
  await third.closed;
});

Deno.test({
  name: "SIGHUP where processes cannot share the port → one line, the server runs",
  ignore: Deno.build.os === "windows",
  async fn() {
    const { process, printed, closed } = project.start();
    const address = await printed(LISTENING);
    process.kill("SIGHUP");
    await printed(/^(Cannot reload: .* Stop it and start it again\.)$/m);
    assert.match(await (await fetch(address)).text(), /<p>/);
    process.kill("SIGTERM");
    await process.status;
    await closed;
  },
});

Deno.test("build fails → file and line, no server", async () => {
  const broken = {
    "export default () => <p>;\n": /routes\/index\.tsx:\d+:\d+/,
    'export default () => {\n  throw new Error("while rendering");\n};\n':
      /while rendering\n\s+at .*routes\/index\.tsx:2:\d+\)?\n/,
  };
  for (const [source, message] of Object.entries(broken)) {
    await project.write("routes/index.tsx", source);
    const { process, closed, text } = project.start();
    assert.equal((await process.status).code, 1);
    await closed;
    assert.match(text(), message);
    assert.doesNotMatch(text(), LISTENING);
  }
  await project.write("routes/index.tsx", FIRST_PAGE);
});

Deno.test("stop during a build that still succeeds → no server, code 0", async () => {
  const path = "monitoring/browser/build.ts";
  await project.write(
    path,
    `Deno.addSignalListener("SIGTERM", () => resolve());
    const { promise, resolve } = Promise.withResolvers();
    export const esbuildOptions = {};
    export async function extraAssets() {
      console.error("waiting for a signal");
      const timer = setInterval(() => {}, 1_000);
      await promise;
      clearInterval(timer);
      return {};
    }`,
  );
  const { process, printed, closed, text } = project.start();
  await printed(/waiting for a signal/);
  process.kill("SIGTERM");
  assert.equal((await process.status).code, 0, text());
  await closed;
  assert.doesNotMatch(text(), LISTENING);
  await project.write(path, BROWSER_BUILD);
});
