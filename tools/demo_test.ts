import assert from "node:assert/strict";
import { watchProcess } from "../tests/harness/watched_process.ts";
import { projectRoot } from "./project_files.ts";

Deno.test({
  name: "demo → relays to its stand-in, lists arrivals; SIGKILL to the task → demo and server end",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const env = { PORT: "0", NO_COLOR: "1" };
    await using demo = watchProcess(["task", "demo"], { cwd: projectRoot, env });
    const standIn = await demo.printed(/^The stand-in Sentry, .*: http:\/\/(\S+)\/$/m);
    const page = await demo.printed(/^Listening on (\S+)$/m);
    // Destination, DSN and the links to Sentry name the stand-in, and no one's organization.
    const html = await (await fetch(page)).text();
    assert.ok(html.includes(`Destination</dt><dd>${standIn}</dd>`), "the destination");
    assert.doesNotMatch(html, /sentry\.io/);
    const dsn = `http://0123456789abcdef0123456789abcdef@${standIn}/1`;
    const [link = ""] = html.match(/http[^"\s]*orgredirect[^"\s]*/) ?? [];
    assert.match(await (await fetch(link)).text(), /<h1>The stand-in Sentry/);
    const body = `{"dsn":"${dsn}"}\n{"type":"event"}\n{"message":"hello"}\n`;
    const answer = await fetch(`${page}monitoring`, { method: "POST", body });
    assert.equal(answer.headers.get("x-relay-outcome"), "delivered");
    await answer.body?.cancel();
    await demo.printed(new RegExp(`^\\d\\d:\\d\\d:\\d\\d {2}${body.length}\\sB$`, "m"));
    await demo.endsAfter("SIGKILL", 0);
    await assert.rejects(fetch(page), TypeError);
  },
});
