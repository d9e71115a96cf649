import assert from "node:assert/strict";
import { FIRST_PAGE, LauncherProject } from "./launcher_project.ts";

const project = await LauncherProject.create();

Deno.test.afterAll(() => project[Symbol.asyncDispose]());

const LISTENING = /Listening on (\S+)/;

Deno.test("it builds once, runs the server, hands on one signal, and ends with the server's code", async () => {
  const first = project.launch("start");
  const page = await fetch(await first.printed(LISTENING));
  assert.match(await page.text(), /<p>first<\/p>/);
  assert.match(first.text(), /^Building the page\n/);
  assert.match(first.text(), new RegExp(`commit ${"c".repeat(40)}`));
  first.process.kill("SIGTERM");
  first.process.kill("SIGTERM");
  assert.equal((await first.process.status).code, 7);
  await first.closed;
  assert.equal(first.text().match(/stopping: SIGTERM/g)?.length, 1);

  const second = project.launch("start");
  await second.printed(LISTENING);
  assert.doesNotMatch(second.text(), /Building/);
  second.process.kill("SIGINT");
  assert.equal((await second.process.status).code, 7);
  await second.closed;
  assert.match(second.text(), /stopping: SIGINT/);

  await project.write("routes/index.tsx", "export default () => <p>changed</p>;\n");
  const third = project.launch("start");
  assert.match(await (await fetch(await third.printed(LISTENING))).text(), /changed/);
  assert.match(third.text(), /Building/);
  third.process.kill("SIGTERM");
  await third.process.status;
  await third.closed;
});

Deno.test("a launcher that is killed leaves no server behind", async () => {
  const { process, printed, closed, text } = project.launch("start");
  await printed(LISTENING);
  process.kill("SIGKILL");
  await process.status;
  // The pipe of the server's output closes when it ends, and only then.
  await closed;
  assert.match(text(), /stopping: the launcher is gone/);
});

Deno.test("a wrong environment is one line and code 1, and nothing is built for it", async () => {
  const { process, closed, text } = project.launch("start", { PORT: "many" });
  assert.equal((await process.status).code, 1);
  await closed;
  assert.match(text(), /^Cannot start: PORT is "many", allowed is .*\n$/);
});

Deno.test("a failing build says where, and no server runs", async () => {
  const broken = {
    "export default () => <p>;\n": /routes\/index\.tsx:\d+:\d+/,
    'export default () => {\n  throw new Error("while rendering");\n};\n':
      /while rendering\n\s+at .*routes\/index\.tsx:2:\d+\n/,
  };
  for (const [source, message] of Object.entries(broken)) {
    await project.write("routes/index.tsx", source);
    const { process, closed, text } = project.launch("start");
    assert.equal((await process.status).code, 1);
    await closed;
    assert.match(text(), message);
    assert.doesNotMatch(text(), LISTENING);
  }
  await project.write("routes/index.tsx", FIRST_PAGE);
});
