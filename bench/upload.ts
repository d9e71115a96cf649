/** The bytes that one load of the page uploads, in a real Chromium against the real server. */
import type { Page } from "@playwright/test";
import type { ArrivedEnvelope } from "../tests/harness/browser/arrived_telemetry.ts";
import { arrivalsAtIngest } from "../tests/harness/browser/arrivals.ts";
import { sampleRecording } from "../tests/harness/browser/signals.ts";
import { startRelaying } from "../tests/harness/relaying_server.ts";
import { startStandInIngest } from "../tests/harness/stand_in_ingest.ts";
import { launchChromium } from "../tools/find_chromium.ts";
import { BUDGETS } from "./budgets.ts";
import { budgeted, type Figure } from "./figures.ts";

/** Longer than the SDK buffers spans (5 s): a page that is silent for so long has sent everything. */
const SILENCE_MS = 6_000;
/** Maximum wait for the first envelope, on a busy machine. */
const FIRST_ENVELOPE_MS = 60_000;

export async function bench(): Promise<Figure[]> {
  await using ingest = startStandInIngest();
  await using server = await startRelaying(ingest);
  await using browser = await launchChromium();
  await loadUnsampled(await browser.newPage({ baseURL: server.origin }));
  return [uploadOf(await arrivalsAtIngest(ingest).envelopes())];
}

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

/** The envelopes of a page load, as they were sent. */
export function uploadOf(
  envelopes: readonly Pick<ArrivedEnvelope, "bytes" | "decoded" | "items">[],
): Figure {
  const format = (bytes: Uint8Array) => bytes.length.toLocaleString("en");
  // A load that sends nothing was not measured.
  const total = envelopes.reduce((sum, { bytes }) => sum + bytes.length, 0) || NaN;
  const details = envelopes.map(({ bytes, decoded, items }) => {
    const contents = items.map(({ type, header, payload }) =>
      `${header.item_count ?? 1} × ${type} (${format(payload)})`
    );
    return `${format(bytes)}, ${format(decoded)} uncompressed: ${contents.join(", ")}`;
  });
  return { ...budgeted(BUDGETS.upload, total), details };
}
