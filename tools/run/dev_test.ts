import assert from "node:assert/strict";
import { LauncherProject } from "./testdata/launcher_project.ts";

Deno.test("source changed → built and served; broken → error, the last version keeps running", async () => {
  await using project = await LauncherProject.create();
  const { process, printed, closed, text } = project.launch("dev");
  const serving = async (
    times: number,
  ) => (await printed(
    new RegExp(`(?:Listening on (?:\\S+)[^]*?){${times - 1}}Listening on (\\S+)`),
  ));
  const first = await serving(1);
  assert.match(await (await fetch(first)).text(), /first/);
  const stream = await fetch(new URL("/_reload", first));
  assert.match(stream.headers.get("Content-Type") ?? "", /event-stream/);

  await project.write("routes/index.tsx", "export default () => <p>;\n");
  await printed(/The last version keeps running/);
  assert.match(text(), /routes\/index\.tsx:1:\d+/);
  assert.match(await (await fetch(first)).text(), /first/);

  await project.write("routes/index.tsx", "export default () => <p>second</p>;\n");
  const second = await serving(2);
  assert.match(await (await fetch(second)).text(), /second/);
  // The first server ended its stream: the page reconnects and learns of the new server.
  await stream.text();

  process.kill("SIGTERM");
  assert.equal((await process.status).code, 0);
  await closed;
});

Deno.test({
  name: "SIGKILL to deno task dev → the launcher and the server end",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using project = await LauncherProject.create();
    await using dev = project.launchTask("dev");
    await dev.printed(/Listening on (\S+)/);
    await dev.endsAfter("SIGKILL", 0);
    assert.match(dev.text(), /stopping: SIGTERM/);
  },
});
