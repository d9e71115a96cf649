import type { Page } from "@playwright/test";
import { expect, readRecording, test } from "./fixtures.ts";
import { ERRORS, make, openPage } from "./signals.ts";

/** Sessions below this share are recorded (monitoring/settings.ts). */
const RATE = 0.1;

const drawing = (page: Page, value: number) =>
  page.addInitScript((fixed) => void (Math.random = () => fixed), value);

test("below the session rate the visit is recorded, without any error", async ({ page, arrivals }) => {
  await drawing(page, RATE - 0.01);
  await openPage(page);
  await expect(page.getByRole("region", { name: "This visit" })).toContainText("recording: sent");
  await make(page, "info"); // something to record
  const item = await arrivals.waitForItem("a recording", ({ type }) => type === "replay_event");
  expect(item.json()).toMatchObject({ replay_type: "session", segment_id: 0 });
});

test("above the session rate it is only buffered, until an error occurs", async ({ page, arrivals, watch }) => {
  watch.allow(ERRORS.uncaught);
  await drawing(page, RATE + 0.01);
  await openPage(page);
  await expect(page.getByRole("region", { name: "This visit" })).toContainText("buffering");
  await make(page, "info");
  await arrivals.waitForItem("the log", ({ type }) => type === "log");
  expect(await arrivals.items("replay_event")).toEqual([]);

  await make(page, "Uncaught error");
  const item = await arrivals.waitForItem("the recording", ({ type }) => type === "replay_event");
  expect(item.json()).toMatchObject({ replay_type: "buffer", segment_id: 0 });
  // What happened before the error is in it.
  const film = item.envelope.items.find(({ type }) => type === "replay_recording");
  const event = await arrivals.waitForItem("the error", ({ type }) => type === "event");
  const first = readRecording(film!).events[0];
  expect(first!.timestamp).toBeLessThan(event.json<{ timestamp: number }>().timestamp * 1000);
});

test("text and inputs are masked, media are blocked, and the console is left out", async ({ page, arrivals, watch }) => {
  watch.allow(ERRORS.uncaught);
  await openPage(page);
  await make(page, "Uncaught error");
  const item = await arrivals.waitForItem(
    "the recording",
    ({ type }) => type === "replay_recording",
  );
  const text = JSON.stringify(readRecording(item).events);
  expect(text).toContain("***");
  // A heading, a control, and what the console shows of telemetry.
  for (const seen of ["Make a signal", "Handled error", "Nothing has been sent", "0 waiting"]) {
    expect(text).not.toContain(seen);
  }
});
