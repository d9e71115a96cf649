import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { DEMO_DSN, describeArrival } from "./demo.ts";
import { watchProcess } from "../../tests/harness/watched_process.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ENV = { PORT: "0", NO_COLOR: "1" };

const TRACE = "0123456789abcdef0123456789abcdef";
const ENVELOPE = new TextEncoder().encode(
  `{"event_id":"9ec79c33ec9942ab8353589fcb2e04dc","dsn":"${DEMO_DSN}","trace":{"trace_id":"${TRACE}"}}\n` +
    '{"type":"event"}\n{"message":"hello"}\n{"type":"attachment","length":2}\nab\n{"type":"attachment","length":2}\ncd\n',
);

Deno.test("arrived envelope, compressed or not → one line: size, items, trace", async () => {
  const plain = await describeArrival({ body: ENVELOPE, headers: {} }, 0);
  assert.match(plain, /^\d\d:\d\d:\d\d {2}\s*\d+\sB {2}event, 2 attachment {2}trace 01234567$/);
  const gzip = new Blob([ENVELOPE]).stream().pipeThrough(new CompressionStream("gzip"));
  const body = new Uint8Array(await new Response(gzip).arrayBuffer());
  const line = await describeArrival({ body, headers: { "content-encoding": "gzip" } }, 0);
  assert.match(line, /event, 2 attachment {2}trace 01234567$/);
});

Deno.test("demo → relays to its stand-in, lists arrivals, ends on SIGTERM", async () => {
  await using demo = watchProcess(["run", "-A", "tools/run/demo.ts"], { cwd: ROOT, env: ENV });
  const page = await demo.printed(/^The page: (\S+)$/m);
  const answer = await fetch(`${page}monitoring`, { method: "POST", body: ENVELOPE });
  assert.equal(answer.headers.get("x-relay-outcome"), "delivered");
  await answer.body?.cancel();
  await demo.printed(/(event, 2 attachment)/);
  demo.process.kill("SIGTERM");
  assert.equal((await demo.process.status).code, 0);
});

Deno.test({
  name: "SIGKILL to deno task demo → the demo and its server end",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using demo = watchProcess(["task", "demo"], { cwd: ROOT, env: ENV });
    const page = await demo.printed(/^The page: (\S+)$/m);
    await demo.endsAfter("SIGKILL", 0);
    await assert.rejects(fetch(page), TypeError);
  },
});
