import assert from "node:assert/strict";
import { DEMO_DSN, describeArrival } from "./demo_arrival.ts";

const TRACE = "0123456789abcdef0123456789abcdef";
const ENVELOPE = new TextEncoder().encode(
  `{"event_id":"9ec79c33ec9942ab8353589fcb2e04dc","dsn":"${DEMO_DSN}","trace":{"trace_id":"${TRACE}"}}\n` +
    '{"type":"event"}\n{"message":"hello"}\n{"type":"attachment","length":2}\nab\n{"type":"attachment","length":2}\ncd\n',
);

Deno.test("an arrival is one line: size, items, trace; a compressed one too", async () => {
  const plain = await describeArrival({ body: ENVELOPE, headers: {} }, 0);
  assert.match(plain, /^\d\d:\d\d:\d\d {2}\s*\d+\sB {2}event, 2 attachment {2}trace 01234567$/);
  const gzip = new Blob([ENVELOPE]).stream().pipeThrough(new CompressionStream("gzip"));
  const body = new Uint8Array(await new Response(gzip).arrayBuffer());
  const line = await describeArrival({ body, headers: { "content-encoding": "gzip" } }, 0);
  assert.match(line, /event, 2 attachment {2}trace 01234567$/);
});

Deno.test("the demo relays to its stand-in, lists what arrives, and ends by a signal", async () => {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", new URL("demo.ts", import.meta.url).pathname],
    env: { PORT: "0", NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let printed = "";
  const until = async (pattern: RegExp) => {
    for (;;) {
      const found = pattern.exec(printed);
      if (found) return found[1] ?? "";
      const { done, value } = await lines.read();
      if (done) throw new Error(`The demo ended before ${pattern}: ${printed}`);
      printed += value;
    }
  };
  try {
    const page = await until(/^The page: (\S+)$/m);
    const answer = await fetch(`${page}monitoring`, { method: "POST", body: ENVELOPE });
    assert.equal(answer.headers.get("x-relay-outcome"), "delivered");
    await answer.body?.cancel();
    await until(/(event, 2 attachment)/);
    child.kill("SIGTERM");
    assert.equal((await child.status).code, 0);
  } finally {
    await lines.cancel();
  }
});
