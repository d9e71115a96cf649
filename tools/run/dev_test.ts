import assert from "node:assert/strict";
import { LauncherProject } from "../../tests/harness/launcher_project.ts";

Deno.test({
  name:
    "source changed → built and served; broken → its error, served once it is fixed; SIGKILL → all end",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using project = await LauncherProject.create();
    await using dev = project.task("dev");
    const serving = (times: number) =>
      dev.printed(new RegExp(`(?:Listening on (?:\\S+)[^]*?){${times - 1}}Listening on (\\S+)`));
    const first = await serving(1);
    assert.match(await (await fetch(first)).text(), /first/);
    const stream = await fetch(new URL("/_reload", first));
    assert.match(stream.headers.get("Content-Type") ?? "", /event-stream/);

    await project.write("routes/index.tsx", "export default () => <p>;\n");
    await dev.printed(/routes\/index\.tsx:1:\d+/);
    // The stream ends, in order or not, with its server: the page connects again and learns of the new one.
    await stream.text().catch(() => {});

    await project.write("routes/index.tsx", "export default () => <p>second</p>;\n");
    assert.match(await (await fetch(await serving(2))).text(), /second/);

    await dev.endsAfter("SIGKILL", 0);
  },
});
