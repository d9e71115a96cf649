import { expect, type Page } from "@playwright/test";
import type { TestRequest, TestSignal } from "../../../islands/settings/Signals.tsx";

/** Messages of the errors that the page makes. */
export const ERRORS = {
  uncaught: "Uncaught error, made on the page",
  rejection: "Unhandled rejection, made on the page",
  component: "Component error, made on the page",
  handled: "Handled error, made on the page",
} as const;

export const LEVELS = ["trace", "debug", "info", "warn", "error", "fatal"] as const;

/** Opens the settings, which make signals and show the state of telemetry. A change of the fragment is no navigation, and this one no step of the history. */
async function showSettings(page: Page): Promise<void> {
  await page.evaluate(() => {
    if (!location.hash.startsWith("#/settings")) location.replace("#/settings");
  });
}

/** The button in the settings that makes an error, a log and a span. */
export const sendButton = (page: Page) =>
  page.locator(".settings").getByRole("button", { name: "Send test signals" });

/** Milliseconds; a task is long from 50 ms on (https://www.w3.org/TR/longtasks-1/). */
export const LONG_TASK_MS = 200;
/** Milliseconds; well above the duration of the page's own requests. */
export const SLOW_MS = 1500;

/** Makes a signal in the page's own code (islands/settings/Signals.tsx). */
export async function make(page: Page, signal: TestSignal): Promise<void> {
  // A page behind another draws one frame a second, for which React waits.
  await page.bringToFront();
  await showSettings(page);
  await expect(sendButton(page).or(page.getByText("Test signals failed."))).toBeVisible();
  await page.evaluate(async (signal) => {
    const detail: TestRequest = { signal };
    document.dispatchEvent(new CustomEvent("sightglass:test-signal", { detail }));
    await detail.made;
  }, signal);
}

/** A request of the page, until its response has ended. */
export const fetchInPage = (page: Page, address: string): Promise<string> =>
  page.evaluate(async (address) => await (await fetch(address)).text(), address);

/** Blocks the page's main thread, in a frame: browsers report only what delays drawing. */
export const blockMainThread = (page: Page): Promise<void> =>
  page.evaluate((ms) =>
    new Promise<void>((resolve) =>
      requestAnimationFrame(() => {
        const end = performance.now() + ms;
        while (performance.now() < end);
        resolve();
      })
    ), LONG_TASK_MS);

/** `replaysSessionSampleRate` in monitoring/settings.ts. */
const RECORDING_SAMPLE_RATE = 0.1;

/** Decides for the pages opened later whether they are recorded from their start, or only after an error. */
export async function sampleRecording(page: Page, isSampled: boolean): Promise<void> {
  const random = RECORDING_SAMPLE_RATE + (isSampled ? -0.01 : 0.01);
  await page.addInitScript((random) => void (Math.random = () => random), random);
}

/** Opens the settings and waits until they show that telemetry and the recorder are running. */
export async function openPage(page: Page, address = "/#/settings"): Promise<void> {
  await page.goto(address);
  await waitForTelemetry(page);
}

/** Waits until the page shows that telemetry and the recorder are running. */
export async function waitForTelemetry(page: Page): Promise<void> {
  await showSettings(page);
  const session = page.getByRole("region", { name: "This session" });
  await expect(session).toContainText("running");
  await expect(session).toContainText(/buffering|sent continuously/);
}

/** The trace id that the page shows. */
export async function shownTraceId(page: Page): Promise<string> {
  await showSettings(page);
  const text = await page.locator(".trace-id").innerText();
  expect(text).toMatch(/^[0-9a-f]{32}$/);
  return text;
}

/** Makes a signal of every kind, and waits for the response of each request. */
export async function makeEverySignal(page: Page): Promise<void> {
  for (const level of LEVELS) await make(page, level);
  await make(page, "span");
  await fetchInPage(page, `/signal?delay_ms=${SLOW_MS}`);
  await fetchInPage(page, "/signal?status=503");
  await blockMainThread(page);
  await make(page, "handled");
  await make(page, "uncaught");
  await make(page, "rejection");
  await make(page, "component");
}

/**
 * Leaves the page, whose handlers run first: the browser ends a page that stays busy for half a second as it is left,
 * which a slow machine does.
 */
export async function leave(page: Page): Promise<void> {
  await setHidden(page, true);
  await page.goto("about:blank");
}

/** Simulates hiding and showing a tab, which a headless browser cannot do. */
export async function setHidden(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate((hidden) => {
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    const visibilityState = hidden ? "hidden" : "visible";
    Object.defineProperty(document, "visibilityState", {
      value: visibilityState,
      configurable: true,
    });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
}
