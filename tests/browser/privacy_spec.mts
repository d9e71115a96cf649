import type { Page } from "@playwright/test";
import { CANARIES, enterCanaries, plantCanaries } from "../harness/browser/canaries.ts";
import { expect, spansOf, test, textOf } from "../harness/browser/fixtures.ts";
import type { SentRequests } from "../harness/browser/requests.ts";
import {
  ERRORS,
  leave,
  make,
  openPage,
  sampleRecording,
  sendButton,
  waitForTelemetry,
} from "../harness/browser/signals.ts";
import { openMaskingReport, searchReport } from "../harness/browser/views.ts";

test("private data shown, typed or in an address → in nothing that leaves the page", async ({ page, server, arrivals, serverArrivals, sent, watch }) => {
  watch.allow(ERRORS.uncaught, "404", "canaryimage");
  const referers: string[] = [];
  page.on("request", async (request) => {
    if (request.method() !== "POST") return;
    // Headers of a request may be unavailable after its page has ended.
    const headers = await request.allHeaders().catch(() => undefined);
    if (headers) referers.push(headers.referer ?? "");
  });
  await sampleRecording(page, true);
  await openPage(page, `/?who=${CANARIES.query}#${CANARIES.fragment}`);
  await plantCanaries(page);
  await enterCanaries(page);
  await make(page, "uncaught");

  const error = await arrivals.waitForItem("the error", ({ type }) => type === "event");
  const segment = await arrivals.waitForItem("a segment", ({ type }) => type === "replay_event");
  // Leaving the page sends all buffered data.
  await leave(page);
  await page.goto(server.origin);
  await arrivals.waitFor(
    "the fetch's span",
    (items) =>
      items.some(({ type, payload }) => type === "span" && decodeUtf8(payload).includes("/signal")),
  );
  // The masking report finds none of them, and does not send the texts that are searched for.
  const { replay_id } = segment.json<{ replay_id: string }>();
  await page.goto(`/#/recordings/${replay_id}`);
  await openMaskingReport(page);
  await expect(page.getByText("Nothing that looks like one of these")).toBeVisible();
  const searched = [...Object.values(CANARIES), "canarysearched"];
  expect(await searchReport(page, searched)).toEqual(
    Object.fromEntries(searched.map((text) => [text, []])),
  );
  const recorded = (await arrivals.items("replay_recording")).length;
  await leave(page);
  await page.goto(server.origin);
  await arrivals.waitFor(
    "the recording of the search",
    (items) => items.filter(({ type }) => type === "replay_recording").length > recorded,
  );
  // Checks that the actions were captured at all.
  expect(JSON.stringify(error.json().breadcrumbs)).toContain("ui.click");

  expect(referers.length).toBeGreaterThan(0);
  const everything = [
    await arrivals.text(),
    // The server's own telemetry about the page's requests.
    await serverArrivals.text(),
    ...postedTexts(sent),
    ...sent.posts().map(({ url }) => url.href),
    ...referers,
  ].join("\n").toLowerCase();
  expect(searched.filter((canary) => everything.includes(canary))).toEqual([]);
});

const TOKEN = "SECRET-TOKEN-5f3a9c";

test.describe("relay mode", () => {
  test.use({ mode: "relay" });

  test("unknown path → <unknown> in everything that leaves the page", async ({ page, arrivals, serverArrivals, sent, watch }) => {
    watch.allow("status of 404", "thrown on", ERRORS.handled, ERRORS.uncaught);
    const headerLines: string[] = [];
    page.on("request", async (request) => {
      const sentHeaders = await request.allHeaders().catch(() => ({}));
      const { referer, baggage } = sentHeaders as Record<string, string | undefined>;
      if (request.method() === "POST") headerLines.push(`referer: ${referer}`);
      if (baggage !== undefined) headerLines.push(`baggage: ${baggage}`);
    });
    await sampleRecording(page, true);
    const address = `/reset/${TOKEN}`;
    await page.goto(address);
    await throwUncaught(page, "thrown on the unknown page");
    const event = await arrivals.waitForError("thrown on the unknown page");
    expect(event.request.url).toMatch(/^http:\/\/[^/]+\/<unknown>$/);
    await arrivals.waitForItem("the recording", ({ type }) => type === "replay_recording");
    await page.evaluate(async (token) => {
      for (const url of [`/reset/${token}/confirm`, `${token}/confirm`]) {
        await fetch(url).catch(() => {});
      }
      const picture = new Image();
      picture.src = `/reset/${token}.png`;
      const link = document.createElement("a");
      link.href = `/reset/${token}`;
      document.body.append(picture, link);
      await picture.decode().catch(() => {});
    }, TOKEN);

    // Follows a link, which navigates within the page; goes back; then loads the page anew.
    await page.getByRole("link", { name: "Open Sightglass" }).click();
    await expect(page.locator(".console")).toBeVisible();
    await waitForTelemetry(page);
    await throwUncaught(page, "thrown on the page");
    await page.goBack();
    await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
    await page.evaluate(() => location.assign("/"));
    await page.waitForURL((url) => url.pathname === "/");
    await waitForTelemetry(page);
    expect(await page.evaluate(() => document.referrer)).toContain(TOKEN);
    await sendButton(page).click();
    await make(page, "uncaught");
    const referred = await arrivals.waitForError(ERRORS.uncaught);
    expect(JSON.stringify(referred.breadcrumbs)).toContain("ui.click");
    await leave(page);
    await page.goto("/");
    await expect.poll(async () => spansOf(await arrivals.items()).map(({ name }) => name))
      .toEqual(expect.arrayContaining(["/", "<unknown>", expect.stringContaining("GET")]));

    expect(headerLines.length).toBeGreaterThan(0);
    const everything = [
      ...await arrivals.envelopes(),
      ...await serverArrivals.envelopes(),
    ].map(textOf);
    everything.push(...postedTexts(sent), ...headerLines);
    expect(everything.flatMap(aroundToken)).toEqual([]);
  });
});

test("plain object thrown or rejected → its keys are sent, its values are not", async ({ page, arrivals, serverArrivals, watch }) => {
  const field = "canaryfield";
  watch.allow(field, "Object");
  await openPage(page);
  await page.evaluate((field) => {
    const thrown = {
      card: field,
      list: [field, { deep: field }],
      in: { at: { far: { end: field } } },
    };
    Promise.reject({ rejected: thrown });
    setTimeout(() => {
      throw { uncaught: thrown, number: 4111 };
    });
  }, field);
  const found = await arrivals.waitFor("both errors", (items) => {
    const events = items.filter(({ type }) => type === "event").map((item) =>
      decodeUtf8(item.payload)
    );
    return ["rejected", "uncaught"].every((key) =>
      events.some((event) => event.includes(`"${key}":{"card":"`))
    ) && events;
  });
  expect(found.join()).toContain('"number":"<number>"');
  expect(`${await arrivals.text()}${await serverArrivals.text()}`).not.toContain(field);
});

/** All envelopes that the browser has sent, as texts. Fails if one is still compressed: no canary would be found in it. */
function postedTexts(sent: SentRequests): string[] {
  const texts = sent.posts().map(({ decoded }) => decodeUtf8(decoded));
  for (const envelope of texts) expect(envelope.slice(0, 1)).toBe("{");
  return texts;
}

function throwUncaught(page: Page, message: string): Promise<void> {
  return page.evaluate((message) => {
    setTimeout(() => {
      throw new Error(message);
    });
  }, message);
}

/** Each occurrence of the token, with the text before it. */
function aroundToken(text: string): string[] {
  return [...text.matchAll(new RegExp(`.{0,120}${TOKEN}`, "gs"))].map(([excerpt]) => excerpt);
}

function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
