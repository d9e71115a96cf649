import { expect, type Page } from "@playwright/test";

/** Messages of the errors that the page's buttons make. */
export const ERRORS = {
  uncaught: "Uncaught error, made on the page",
  rejection: "Unhandled rejection, made on the page",
  component: "Component error, made on the page",
  handled: "Handled error, made on the page",
} as const;

export const LEVELS = ["trace", "debug", "info", "warn", "error", "fatal"] as const;

/** Opens the settings, which have the buttons and the state of telemetry. A change of the fragment is no navigation, and this one no step of the history. */
async function showSettings(page: Page): Promise<void> {
  await page.evaluate(() => {
    if (!location.hash.startsWith("#/settings")) location.replace("#/settings");
  });
}

/** Clicks a button that makes a signal. */
export async function make(page: Page, signal: string): Promise<void> {
  // A page behind another draws one frame a second, for which clicks wait.
  await page.bringToFront();
  await showSettings(page);
  await page.getByRole("button", { name: signal, exact: true }).click();
}

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
  const visit = page.getByRole("region", { name: "This visit" });
  await expect(visit).toContainText("running");
  await expect(visit).toContainText(/buffering|sent continuously/);
}

/** The trace id that the page shows. */
export async function shownTraceId(page: Page): Promise<string> {
  await showSettings(page);
  const text = await page.locator(".trace-id").innerText();
  expect(text).toMatch(/^[0-9a-f]{32}$/);
  return text;
}

/** Clicks every button, and waits for the response of each request. */
export async function makeEverySignal(page: Page): Promise<void> {
  for (const level of LEVELS) await make(page, level);
  await make(page, "Span with a fetch");
  await expect(page.getByText("A manual span was created.")).toBeVisible();
  await make(page, "Slow request");
  await expect(page.getByText("Response with status 200")).toBeVisible();
  await make(page, "Failing request");
  await expect(page.getByText("Response with status 503")).toBeVisible();
  await make(page, "Long task");
  await make(page, "Handled error");
  await make(page, "Uncaught error");
  await make(page, "Unhandled rejection");
  await make(page, "Component error");
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
