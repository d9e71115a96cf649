import { expect, type Page } from "@playwright/test";

/** The texts that the page's controls put into the errors that they make. */
export const ERRORS = {
  uncaught: "Uncaught error, made on the page",
  rejection: "Unhandled rejection, made on the page",
  component: "Component error, made on the page",
  handled: "Handled error, made on the page",
} as const;

export const LEVELS = ["trace", "debug", "info", "warn", "error", "fatal"] as const;

/** Presses a control of the page. */
export async function make(page: Page, signal: string): Promise<void> {
  await page.getByRole("button", { name: signal, exact: true }).click();
}

/** Opens the page and waits until it says that telemetry, and with it the recording, runs. */
export async function openPage(page: Page, address = "/"): Promise<void> {
  await page.goto(address);
  await telemetryRuns(page);
}

/** Waits until the page says that telemetry runs and that the recording is decided. */
export async function telemetryRuns(page: Page): Promise<void> {
  const visit = page.getByRole("region", { name: "This visit" });
  await expect(visit).toContainText("running");
  await expect(visit).toContainText(/buffering|recording:/);
}

/** This visit's trace id, as the page shows it. */
export async function shownTraceId(page: Page): Promise<string> {
  const text = await page.locator(".trace-id").innerText();
  expect(text).toMatch(/^[0-9a-f]{32}$/);
  return text;
}

/** Presses every control, each request's answer awaited. */
export async function makeEverySignal(page: Page): Promise<void> {
  for (const level of LEVELS) await make(page, level);
  await make(page, "Span with a fetch");
  await expect(page.getByText("A span was made by hand.")).toBeVisible();
  await make(page, "Slow request");
  await expect(page.getByText("The request was answered 200")).toBeVisible();
  await make(page, "Failing request");
  await expect(page.getByText("The request was answered 503")).toBeVisible();
  await make(page, "Long task");
  await make(page, "Handled error");
  await make(page, "Uncaught error");
  await make(page, "Unhandled rejection");
  await make(page, "Component error");
}
