import assert from "node:assert/strict";
import { startTelemetry } from "./telemetry.ts";

Deno.test("log call while an envelope is sent → console only, no further envelope", async () => {
  const logged: string[] = [];
  const { log, error } = console;
  console.log = console.error = (line: string) => void logged.push(line);
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
    await runtime.flush(50);
    await runtime.stop(50);

    const [first = "", report = "", ...others] = bodies;
    assert.ok(first.includes("the first record"));
    assert.ok(report.includes(`"reason":"network_error","category":"log_item","quantity":1`));
    assert.deepEqual(others, []);
    assert.equal(logged.filter((line) => line.includes("Cannot store")).length, bodies.length);
    assert.equal(
      logged.at(-1),
      `warn: Envelopes of the server's own telemetry were not delivered {"count":2}`,
    );
  } finally {
    Object.assign(console, { log, error });
  }
});

Deno.test("flood of errors → console and reports are rate limited, drops are counted", async () => {
  let logged = 0;
  const bodies: string[] = [];
  const { log, error } = console;
  console.log = () => {};
  console.error = () => void logged++;
  try {
    const runtime = startTelemetry({
      dsn: "https://key@example.invalid/1",
      environment: "test",
      root: "file:///srv/",
      async deliver(request) {
        bodies.push(await request.text());
        return new Response();
      },
      statusOf: () => 500,
    });
    const request = new Request("http://localhost/signal?throw=true");
    for (let n = 0; n < 1_000; n++) runtime.onError(new Error("made on purpose"), request);
    await runtime.stop(1_000);
    assert.ok(logged >= 100 && logged < 300, `${logged} on the console`);
    const reported = bodies.flatMap((body) =>
      [...body.matchAll(/"reason":"backpressure","category":"error","quantity":(\d+)/g)]
        .map(([, quantity]) => Number(quantity))
    );
    assert.equal(reported.reduce((sum, quantity) => sum + quantity, 0), 1_000 - logged);
  } finally {
    Object.assign(console, { log, error });
  }
});
