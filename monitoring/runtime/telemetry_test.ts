import assert from "node:assert/strict";
import { startTelemetry } from "./telemetry.ts";

/** Runs a test with telemetry whose relay always answers so, and what it sent and printed. */
async function withTelemetry(
  answer: () => Response,
  work: (run: {
    readonly runtime: ReturnType<typeof startTelemetry>;
    readonly bodies: readonly string[];
    readonly printed: readonly string[];
  }) => Promise<void>,
): Promise<void> {
  const printed: string[] = [];
  const bodies: string[] = [];
  const { log, error } = console;
  console.log = console.error = (line: unknown) => void printed.push(String(line));
  try {
    const runtime = startTelemetry({
      dsn: "https://key@example.invalid/1",
      environment: "test",
      root: "file:///srv/",
      async deliver(request) {
        bodies.push(await request.text());
        runtime.log("error", "Cannot store an envelope");
        return answer();
      },
    });
    await work({ runtime, bodies, printed });
  } finally {
    Object.assign(console, { log, error });
  }
}

const unavailable = () => new Response(null, { status: 503 });

Deno.test("log call while an envelope is sent → console only, no further envelope", () =>
  withTelemetry(unavailable, async ({ runtime, bodies, printed }) => {
    runtime.log("info", "the first record");
    await runtime.flush(50);
    await runtime.stop(50);
    const [first = "", report = "", ...others] = bodies;
    assert.ok(first.includes("the first record"));
    assert.ok(report.includes(`"reason":"network_error","category":"log_item","quantity":1`));
    assert.deepEqual(others, []);
    assert.equal(printed.filter((line) => /Cannot store/.test(line)).length, bodies.length);
  }));

Deno.test("flood of errors → console and reports are rate limited, drops are counted", () =>
  withTelemetry(() => new Response(), async ({ runtime, bodies, printed }) => {
    const request = new Request("http://localhost/signal?throw=true");
    for (let n = 0; n < 1_000; n++) runtime.onError(new Error("made on purpose"), request);
    await runtime.stop(1_000);
    const logged = printed.filter((line) => line.includes("made on purpose")).length;
    assert.ok(logged >= 100 && logged < 300, `${logged} on the console`);
    const reported = bodies.flatMap((body) =>
      [...body.matchAll(/"reason":"backpressure","category":"error","quantity":(\d+)/g)]
        .map(([, quantity]) => Number(quantity))
    );
    assert.equal(reported.reduce((sum, quantity) => sum + quantity, 0), 1_000 - logged);
  }));
