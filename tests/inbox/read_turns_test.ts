import assert from "node:assert/strict";
import { envelopeOf, span } from "../../monitoring/inbox/testdata/envelopes.ts";
import { startServer } from "../harness/server_process.ts";

const READS = 120;
/** So many that a read takes milliseconds. */
const SPANS = 2_000;

const server = await startServer();
Deno.test.afterAll(async () => void await server.stop());
const post = (body: BodyInit) =>
  fetch(`${server.origin}/api/1/envelope/`, { method: "POST", body }).then((answer) =>
    answer.text()
  );
await post(
  envelopeOf({}, ...Array.from({ length: SPANS }, (_, n) => span(n % 200, { name: `${n}` }))),
);

const call = (name: string) => ({
  method: "POST",
  headers: {
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-06-18",
  },
  body: JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: {} },
  }),
});

for (
  const [what, path, init] of [
    ["the inbox", "/monitoring/inbox?view=traces", {}],
    ["an assistant", "/monitoring/mcp", call("list_traces")],
  ] as const
) {
  Deno.test(`${READS} reads at once by ${what} → an envelope is answered between them`, async () => {
    const read = () => fetch(`${server.origin}${path}`, init).then((answer) => answer.text());
    await read();
    let answered = 0;
    const reads = Array.from({ length: READS }, () => read().then(() => answered++));
    await post('{}\n{"type":"event"}\n{"message":"Meanwhile"}\n');
    assert.ok(answered < READS / 2, `${answered} reads were answered first`);
    await Promise.all(reads);
  });
}
