/**
 * The bytes that one load of the page uploads, in a real Chromium against the real server. `deno task size`
 * prints them; tests/browser/upload_spec.mts fails if they exceed their budget.
 */
import type { Page } from "@playwright/test";
import type { ArrivedEnvelope } from "../tests/browser/arrived_envelope.ts";
import { arrivalsAtIngest } from "../tests/browser/arrivals.ts";
import { sampleRecording } from "../tests/browser/signals.ts";
import { startStandInIngest } from "../tests/stand_in_ingest.ts";
import { launchChromium } from "../tools/test/find_chromium.ts";
import { startServer } from "../tests/server_process.ts";
import { UPLOAD_BUDGET } from "./budgets.ts";
import type { SizeCheck } from "./size.ts";

/** Longer than the SDK buffers spans (5 s): a page that is silent for so long has sent everything. */
const SILENCE_MS = 6_000;
/** Maximum wait for the first envelope, on a busy machine. */
const FIRST_ENVELOPE_MS = 60_000;

/** Opens the page in a session that is not sampled, and waits until it has sent everything. */
export async function loadUnsampled(page: Page): Promise<void> {
  let lastRequestAt = Date.now();
  page.on("request", () => lastRequestAt = Date.now());
  await sampleRecording(page, false);
  const sent = page.waitForRequest((request) => request.method() === "POST", {
    timeout: FIRST_ENVELOPE_MS,
  });
  await Promise.all([sent, page.goto("/")]);
  while (Date.now() - lastRequestAt < SILENCE_MS) await page.waitForTimeout(100);
}

/** Compares the envelopes of a page load, as they were sent, with the budget. */
export function checkUpload(
  envelopes: readonly Pick<ArrivedEnvelope, "bytes" | "decoded" | "items">[],
): SizeCheck {
  const format = (bytes: number) => bytes.toLocaleString("en");
  const total = envelopes.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const lines = envelopes.map(({ bytes, decoded, items }) => {
    const contents = items.map(({ type, header, payload }) =>
      `${header.item_count ?? 1} × ${type} (${format(payload.length)})`
    );
    const sizes = `${format(bytes.length)}, ${format(decoded.length)} uncompressed`;
    return `\n       ${sizes}: ${contents.join(", ")}`;
  });
  const { most } = UPLOAD_BUDGET.limit;
  return {
    // A load that sends nothing was not measured.
    isWithinBudget: total > 0 && total <= most,
    line: `uploaded by a page load: ${format(total)} of ${format(most)} bytes${lines.join("")}`,
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
