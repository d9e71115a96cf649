import { expect, readRecording, test } from "../harness/browser/fixtures.ts";
import { ERRORS, make, openPage, sampleRecording, sendButton } from "../harness/browser/signals.ts";

test("session sampled, no error → recorded", async ({ page, arrivals }) => {
  await sampleRecording(page, true);
  await openPage(page);
  await expect(page.getByRole("region", { name: "This session" })).toContainText(
    "sent continuously",
  );
  await sendButton(page).click(); // changes the page
  const item = await arrivals.waitForItem("a recording", ({ type }) => type === "replay_event");
  expect(item.json()).toMatchObject({ replay_type: "session", segment_id: 0 });
  // The recorder has compressed it.
  expect(item.envelope.contentEncoding).toBe(null);
  // A style sheet is recorded as it was sent: read rule by rule, it would have the browser's spaces.
  const [start] = /^[^;]+/.exec(await page.locator("style[data-static]").innerHTML())!;
  const recording = item.envelope.items.find(({ type }) => type === "replay_recording")!;
  expect(JSON.stringify(readRecording(recording).events)).toContain(
    JSON.stringify(start).slice(0, -1),
  );
});

test("session not sampled → buffered, sent after an error: masked, without telemetry panels", async ({ page, arrivals, watch }) => {
  watch.allow(ERRORS.uncaught);
  await sampleRecording(page, false);
  await openPage(page);
  await expect(page.getByRole("region", { name: "This session" })).toContainText("buffering");
  await make(page, "info");
  await arrivals.waitForItem("the log", ({ type }) => type === "log");
  expect(await arrivals.items("replay_event")).toEqual([]);

  await make(page, "uncaught");
  const item = await arrivals.waitForItem("the recording", ({ type }) => type === "replay_event");
  expect(item.json()).toMatchObject({ replay_type: "buffer", segment_id: 0 });
  // It includes events from before the error.
  const recording = item.envelope.items.find(({ type }) => type === "replay_recording");
  const { events } = readRecording(recording!);
  const event = await arrivals.waitForItem("the error", ({ type }) => type === "event");
  expect(events[0]!.timestamp).toBeLessThan(event.json<{ timestamp: number }>().timestamp * 1000);
  const text = JSON.stringify(events);
  expect(text).toContain("***");
  // A heading, a button, and text of the telemetry panels.
  for (const seen of ["Test signals", "Send test signals", "Needs a look", "all delivered"]) {
    expect(text).not.toContain(seen);
  }
});
