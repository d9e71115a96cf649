/**
 * What the spool does in a second: `deno run -A tests/spool/measure.ts [FOLDER]`. The folder should be on the disk
 * that is meant; default: a temporary one. Also prints what the main thread's event loop noticed of it.
 */
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { startDrain } from "../../monitoring/spool/drain.ts";
import type { Spool, SpooledEnvelope } from "../../monitoring/spool/spool.ts";
import { openSqliteSpool } from "../../monitoring/spool/sqlite_spool.ts";
import { noLimits, upstreamsThatAreUp } from "../../monitoring/spool/testdata/envelopes.ts";

const folder = Deno.makeTempDirSync({ dir: Deno.args[0], prefix: "spool-" });
const path = join(folder, "spool.sqlite");

function envelope(bytes: number): SpooledEnvelope {
  return {
    dsn: `https://key@o1.ingest.sentry.io/${1 + Math.floor(Math.random() * 3)}`,
    bytes: new Uint8Array(bytes).fill(7),
    contentEncoding: null,
    userAgent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36",
    receivedAt: Date.now(),
    key: crypto.getRandomValues(new Uint8Array(32)),
    eventId: crypto.randomUUID().replaceAll("-", ""),
    quantities: { error: 1, transaction: 1 },
    categories: 6,
  };
}

/** Runs `work` and prints its rate with the delays that a 1 ms timer saw meanwhile. */
async function measure(name: string, count: number, work: () => Promise<void>): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const start = performance.now();
  await work();
  const seconds = (performance.now() - start) / 1000;
  delay.disable();
  const ms = (nanoseconds: number) => (nanoseconds / 1e6).toFixed(1);
  console.log(
    `${name}: ${Math.round(count / seconds)}/s (${count} in ${seconds.toFixed(2)} s),` +
      ` event loop p50 ${ms(delay.percentile(50))} ms, p99 ${ms(delay.percentile(99))} ms, max ${
        ms(delay.max)
      } ms`,
  );
}

/** Puts `count` envelopes, `at once` of them concurrently. */
async function putAll(spool: Spool, count: number, atOnce: number, bytes: number): Promise<void> {
  let left = count;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) await spool.put(envelope(bytes));
    }),
  );
}

try {
  for (
    const [atOnce, bytes, count] of [
      [64, 10_000, 20_000],
      [256, 10_000, 30_000],
      [64, 200_000, 3_000],
      [256, 200_000, 3_000],
    ] as const
  ) {
    const spool = await openSqliteSpool({ path, maxBytes: 1e12, maxAgeHours: 24 });
    await measure(
      `accept ${bytes} bytes, ${atOnce} at once`,
      count,
      () => putAll(spool, count, atOnce, bytes),
    );
    await measure(`drain ${bytes} bytes, delivered at once`, count, async () => {
      const drain = startDrain({
        spool,
        deliver: () => Promise.resolve({ kind: "delivered" }),
        upstreamOf: upstreamsThatAreUp(),
        limitsOf: noLimits,
      });
      while ((await spool.stats()).pending > 0) await new Promise((done) => setTimeout(done, 50));
      await drain.stop();
    });
    await spool.close();
    Deno.removeSync(path);
  }
} finally {
  Deno.removeSync(folder, { recursive: true });
}
