import assert from "node:assert/strict";
import { startRuntime } from "./start_runtime.ts";

Deno.test("telemetry fails to start → error on the console, the server works without it", async () => {
  const printed: unknown[] = [];
  const { log, error } = console;
  console.log = console.error = (...values: unknown[]) => void printed.push(...values);
  try {
    const runtime = await startRuntime({
      dsn: "not a DSN",
      environment: "test",
      root: "file:///srv/",
      deliver: () => Promise.reject(new Error("not called")),
    });
    assert.ok(printed.some((line) => /telemetry did not start/.test(String(line))));
    assert.equal(runtime.observe({ path: "/", address: "/", kind: "page" }), undefined);
    const thrown = new Error("thrown");
    runtime.onError(thrown, new Request("http://localhost/"));
    runtime.log("info", "still logged", { of: "it" });
    assert.deepEqual(printed.slice(-2), [thrown, 'info: still logged {"of":"it"}']);
    assert.equal(await runtime.flush(10), true);
    await runtime.stop(10);
  } finally {
    Object.assign(console, { log, error });
  }
});
