/**
 * The bytes that one load of the page uploads, in a real Chromium against the real server. `deno task size`
 * prints them; tests/browser/upload_spec.mts fails if they exceed their budget.
 */
import type { Page } from "@playwright/test";
import type { ArrivedEnvelope } from "../tests/browser/arrived_envelope.ts";
import { arrivalsAtIngest } from "../tests/browser/arrivals.ts";
import { startStandInIngest } from "../tests/stand_in_ingest.ts";
import { launchChromium } from "../tools/test/find_chromium.ts";
import { startServer } from "../tools/run/server_process.ts";
import { UPLOAD_BUDGET } from "./budgets.ts";
import type { SizeCheck } from "./size.ts";

/** Longer than the SDK buffers spans (5 s): then the load has sent everything. */
const SILENCE_MS = 6_000;

/** Not below the sample rate of recordings: only a session with an error is recorded. */
const NOT_SAMPLED = 0.5;

/** Opens the page in a session that is not sampled, and waits until it sends nothing any more. */
export async function loadUnsampled(page: Page): Promise<void> {
  let last = Date.now();
  page.on("request", () => last = Date.now());
  await page.addInitScript((fixed) => void (Math.random = () => fixed), NOT_SAMPLED);
  await page.goto("/");
  // That nothing more is sent has no event: it is known only after a silence.
  while (Date.now() - last < SILENCE_MS) await page.waitForTimeout(100);
}

/** Compares the envelopes of a page load, as they were sent, with the budget. */
export function checkUpload(
  envelopes: readonly Pick<ArrivedEnvelope, "bytes" | "decoded" | "items">[],
): SizeCheck {
  const show = (bytes: number) => bytes.toLocaleString("en");
  const total = envelopes.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const parts = envelopes.map(({ bytes, decoded, items }) => {
    const contents = items.map(({ type, header, payload }) =>
      `${header.item_count ?? 1} × ${type} (${show(payload.length)})`
    );
    return `\n       ${show(bytes.length)}, ${show(decoded.length)} uncompressed: ${
      contents.join(", ")
    }`;
  });
  const { most } = UPLOAD_BUDGET.limit;
  return {
    // A load that sends nothing was not measured.
    isWithinBudget: total > 0 && total <= most,
    line: `uploaded by a page load: ${show(total)} of ${show(most)} bytes${parts.join("")}`,
  };
}

/** Measures one page load. The page must be built. */
export async function measureUpload(): Promise<SizeCheck> {
  await using ingest = startStandInIngest();
  await using server = await startServer({
    env: { SENTRY_DSN: "https://key@o1.ingest.sentry.io/1", RELAY_UPSTREAM: ingest.origin },
  });
  await using browser = await launchChromium();
  await loadUnsampled(await browser.newPage({ baseURL: server.origin }));
  return checkUpload(await arrivalsAtIngest(ingest).envelopes());
}
