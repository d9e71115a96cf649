/** The view of feedback: what users wrote, with its screenshot, its recording at that moment, and its error. */
import type { Page } from "@playwright/test";
import { envelopeOf, error, hexId } from "../../monitoring/inbox/testdata/envelopes.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import { expectAccessibleLayout } from "../harness/browser/page_look.ts";
import { postBody, postEnvelope } from "../harness/browser/posted.ts";
import { openView } from "../harness/browser/views.ts";
import {
  addition,
  element,
  entry,
  pageEvents,
  segmentEnvelope,
  text,
} from "../harness/recorded_segments.ts";

const REPLAY = "9".repeat(32);
const SDK = { name: "sentry.javascript.react" };
const SENDER = { environment: "production", release: "shop-web@1.4.2" };
const MARKUP = '<img src=x onerror="attacked=1"><script>attacked=1</script>';

const view = (page: Page) => page.getByRole("region", { name: "Feedback", exact: true });
const rows = (page: Page) => view(page).getByRole("table").locator("a.row-link");
const detail = (page: Page) => view(page).getByRole("article");

/** Posts feedback with the items of its envelope. */
const postFeedback = (
  origin: string,
  n: number,
  at: number,
  form: object,
  ...items: (readonly [object, Uint8Array])[]
) =>
  postBody(
    origin,
    envelopeOf({ sdk: SDK, event_id: hexId(n) }, ["feedback", {
      event_id: hexId(n),
      timestamp: at / 1_000,
      ...SENDER,
      contexts: { feedback: form },
      user: { id: "u-7" },
    }], ...items as never[]),
  );

test("feedback → screenshot, recording at that moment, its error and back; resolved", async ({ page, server }) => {
  const start = Date.now() - 90_000;
  const { origin } = server;
  const click = entry(start + 20_000, "breadcrumb", {
    category: "ui.click",
    message: "button#gift",
  });
  const last = addition(start + 60_000, element(100, "p", {}, [text(101, "thanks")]));
  const events = [...pageEvents(start, []), click, last];
  await postBody(origin, segmentEnvelope({ replayId: REPLAY, number: 0, events, event: SENDER }));
  const timestamp = (start + 21_000) / 1_000;
  const named = { event_id: hexId(1), timestamp, tags: { replayId: REPLAY } };
  await postEnvelope(
    origin,
    { sdk: SDK, sender: SENDER },
    error("wrap is undefined", undefined, named),
  );
  const screenshot = [
    { type: "attachment", filename: "screenshot.png", content_type: "image/png" },
    new Uint8Array(await page.screenshot()),
  ] as const;
  const form = {
    name: "Maja",
    contact_email: "maja@shop.test",
    url: "https://shop.test/cart",
    replay_id: REPLAY,
  };
  const about = { ...form, message: "Gift wrap does nothing.", associated_event_id: hexId(1) };
  await postFeedback(origin, 2, start + 40_000, about, screenshot);
  await postFeedback(origin, 3, start + 30_000, { ...form, message: "Why?\nNothing happens." });
  await postEnvelope(origin, { sdk: { name: "sentry.python" } }, ["user_report", {
    event_id: hexId(1),
    comments: "It broke.",
  }]);

  await page.goto("/");
  await openView(page, "Errors");
  await page.keyboard.press("g");
  await page.keyboard.press("f");
  await expect(rows(page)).toHaveText([
    "It broke.",
    "Gift wrap does nothing.",
    "Why?\nNothing happens.",
  ]);
  const row = view(page).getByRole("row").filter({ hasText: "Gift wrap" });
  await expect(row).toContainText(/Maja on \/cart, 1\.4\.2\s*screenshot\s*recording\s*error/);
  await expectAccessibleLayout(page, "feedback");

  await rows(page).nth(1).click();
  await expect(detail(page).getByRole("heading", { level: 3 })).toHaveText(
    "“Gift wrap does nothing.”",
  );
  const picture = detail(page).getByRole("img", { name: "Attached picture screenshot.png" });
  await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth))
    .toBeGreaterThan(99);
  const before = detail(page).getByRole("region", { name: "Before it was sent" }).getByRole(
    "listitem",
  );
  await expect(before).toHaveText([
    /−20\.00\ss\s*click\s*button#gift/,
    /−19\.00\ss\s*error\s*wrap is undefined/,
    /−10\.00\ss\s*feedback\s*Why\?/,
  ]);
  await expect(detail(page).locator(".still iframe")).toBeVisible();
  // May break before "shop", "test" and "cart" only.
  await expect(detail(page).getByText("https://shop.test/cart").locator("wbr")).toHaveCount(3);
  await expect(detail(page).getByRole("region", { name: "Error" })).toContainText(
    "named by the message",
  );
  await expectAccessibleLayout(page, "one feedback");

  await page.keyboard.press("j");
  await expect(detail(page)).toContainText("Why?\nNothing happens.");
  await expect(detail(page).getByRole("region", { name: "Error" })).toContainText(
    /wrap is undefined.*in the same recording, 9\.00\ss before the message/,
  );
  await page.keyboard.press("k");

  await detail(page).getByRole("link", { name: "Play at this moment" }).click();
  const recording = page.getByRole("region", { name: "Recordings", exact: true });
  await expect(recording.locator(".events .of-feedback")).toHaveText([
    /^0:30\.0/,
    /^0:40\.0.*Gift wrap/,
  ]);
  await expect(recording.locator("output").first()).toContainText("0:40 /");
  await recording.locator(".events").getByRole("link", { name: "Gift wrap does nothing." }).click();
  await detail(page).getByRole("link", { name: "Open the error" }).click();
  const feedback = page.getByRole("article").getByRole("region", { name: "Feedback" });
  await expect(feedback.locator("blockquote")).toHaveText([/^It broke\./, /^Gift wrap/]);
  await feedback.getByRole("link", { name: "Open feedback" }).last().click();

  await detail(page).getByRole("button", { name: "Resolve" }).click();
  await expect(detail(page).getByRole("status").filter({ hasText: "resolved" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(rows(page)).toHaveText(["It broke.", "Why?\nNothing happens."]);
  await page.goto("/#/feedback?state=resolved");
  await expect(rows(page)).toHaveText(["Gift wrap does nothing."]);
});

test("hostile feedback → text, and files that are saved; nothing runs", async ({ page, server }) => {
  const svg = new TextEncoder().encode(
    `<svg xmlns="http://www.w3.org/2000/svg" onload="attacked=1"/>`,
  );
  const form = {
    message: MARKUP,
    name: MARKUP,
    contact_email: MARKUP,
    url: `javascript:attacked=1//${MARKUP}`,
  };
  await postFeedback(
    server.origin,
    1,
    Date.now(),
    form,
    [{ type: "attachment", filename: `${MARKUP}.svg`, content_type: "image/svg+xml" }, svg],
    [
      { type: "attachment", filename: "broken.png" },
      new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]),
    ],
  );
  await page.goto("/");
  await openView(page, "Feedback");
  await rows(page).click();
  await expect(detail(page)).toContainText(`“${MARKUP}”`);
  await expect(detail(page).locator("img")).toHaveCount(1);
  await expect(detail(page).locator("script, svg:not(.icon, figure svg)")).toHaveCount(0);
  const targets = await view(page).locator("a").evaluateAll((links) =>
    links.map((link) => link.getAttribute("href"))
  );
  for (const target of targets) {
    expect(target).toMatch(/^(#\/|\/monitoring\/inbox\?attachment=\d+\.\d$)/);
  }
  const download = page.waitForEvent("download");
  await detail(page).getByRole("link", { name: /^Download .*svg$/ }).click();
  expect(await Deno.readTextFile(await (await download).path())).toBe(
    new TextDecoder().decode(svg),
  );
  expect(await page.evaluate(() => "attacked" in globalThis)).toBe(false);
});

test("none, none matching, and an address of none → what helps", async ({ page }) => {
  await page.goto("/#/feedback");
  await expect(view(page)).toContainText("feedbackIntegration()");
  await page.goto("/#/feedback?q=x&state=muted");
  await expect(view(page)).toContainText("No messages match the filter.");
  await expectAccessibleLayout(page, "no feedback");
  for (const key of ["x", `f${"0".repeat(14)}`]) {
    await page.goto(`/#/feedback/${key}`);
    await expect(detail(page)).toContainText("Feedback not found.");
  }
});
