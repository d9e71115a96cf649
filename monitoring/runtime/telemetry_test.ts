import assert from "node:assert/strict";
import { startTelemetry } from "./telemetry.ts";

Deno.test("what goes wrong on an envelope's way is said on the console and makes no further envelope", async () => {
  const said: string[] = [];
  const { log, error } = console;
  console.log = console.error = (line: string) => void said.push(line);
  // None of telemetry's timers keeps a process.
  const keeps = setTimeout(() => {}, 60_000);
  try {
    const bodies: string[] = [];
    const runtime = startTelemetry({
      dsn: "https://key@example.invalid/1",
      environment: "test",
      root: "file:///srv/",
      async deliver(request) {
        bodies.push(await request.text());
        await Promise.resolve();
        runtime.log("error", "Cannot store an envelope");
        return new Response(null, { status: 503 });
      },
      statusOf: () => 500,
    });
    runtime.log("info", "the first record");
    assert.equal(await runtime.flush(50), false);
    assert.equal(await runtime.flush(50), false);
    await runtime.stop(50);

    assert.ok(bodies.length >= 3);
    assert.equal(new Set(bodies).size, 1, "the same each time");
    assert.ok(bodies[0]?.includes("the first record"));
    assert.equal(said.filter((line) => line.includes("Cannot store")).length, bodies.length);
    assert.equal(
      said.at(-1),
      `warn: Envelopes of the server's own telemetry were not taken {"left":1}`,
    );
    assert.deepEqual(runtime.dropped, { "shutdown:log_item": 1 });
  } finally {
    clearTimeout(keeps);
    Object.assign(console, { log, error });
  }
});

Deno.test("a flood of errors fills neither the console nor the outbox", async () => {
  let said = 0;
  const { log, error } = console;
  console.log = () => {};
  console.error = () => void said++;
  try {
    const runtime = startTelemetry({
      dsn: "https://key@example.invalid/1",
      environment: "test",
      root: "file:///srv/",
      deliver: () => Promise.resolve(new Response()),
      statusOf: () => 500,
    });
    const request = new Request("http://localhost/signal?throw=true");
    for (let n = 0; n < 1_000; n++) runtime.onError(new Error("made on purpose"), request);
    await runtime.stop(1_000);
    assert.ok(said >= 100 && said < 300, `${said} on the console`);
    assert.equal(runtime.dropped["backpressure:error"], 1_000 - said);
  } finally {
    Object.assign(console, { log, error });
  }
});
