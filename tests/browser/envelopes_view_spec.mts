/** The envelopes view: the list and one envelope. */
import { gzipSync } from "node:zlib";
import { envelopeOf, hexId } from "../../monitoring/inbox/testdata/envelopes.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import { ERRORS, make, openPage } from "../harness/browser/signals.ts";
import { envelopeRows, envelopesView, openView } from "../harness/browser/views.ts";

test.describe("in relay mode", () => {
  test.use({ mode: "relay", ingestHost: "o1.ingest.us.sentry.io" });

  test("an envelope → its address, its trace in Sentry, download; opened and left by keyboard", async ({ page, arrivals, watch }) => {
    watch.allow(ERRORS.handled);
    await openPage(page);
    await make(page, "Handled error");
    const { envelope } = await arrivals.waitForItem("the error", ({ type }) => type === "event");
    await openView(page, "Envelopes");
    const view = envelopesView(page);
    const eventLink = page.getByRole("link", { name: /^Envelope \d+: event/ });
    await expect(envelopeRows(page).filter({ has: eventLink })).toContainText("delivered");
    await eventLink.focus();
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/#\/envelopes\/\d+$/);
    await expect(view.getByRole("heading", { name: /^Envelope \d+$/ })).toBeFocused();
    await expect(view.getByLabel("Payload of item 1")).toContainText(`"${ERRORS.handled}"`);
    await view.getByText("Envelope header").click();
    await expect(view.getByLabel("Envelope header")).toContainText('"event_id": "');
    const inSentry =
      /^https:\/\/sentry\.io\/orgredirect\/organizations\/:orgslug\/explore\/traces\/trace\/[\da-f]{32}\/$/;
    await expect(view.getByRole("link", { name: /^[\da-f]{32}$/ })).toHaveAttribute(
      "href",
      inSentry,
    );

    const download = page.waitForEvent("download");
    await view.getByRole("button", { name: "Download", exact: true }).click();
    const bytes = await Deno.readFile(await (await download).path());
    expect(bytes).toEqual(new Uint8Array(envelope.decoded));
    await page.keyboard.press("Escape");
    await expect(eventLink).toBeFocused();
  });
});

test("an envelope posted by a script → listed live, found by search, opened, reloaded", async ({ page, server, watch }) => {
  // The browser logs the 404 of an envelope that does not exist.
  watch.allow("status of 404");
  await page.goto("/#/envelopes");
  await expect(envelopesView(page)).toContainText("Live");
  const plain = envelopeOf(
    { event_id: hexId(77), dsn: "https://inbox@sightglass.invalid/1" },
    ["event", { event_id: hexId(77), message: "sent by a script" }],
    ["from_the_future", "<b>"],
  );
  const answer = await fetch(`${server.origin}/monitoring`, {
    method: "POST",
    headers: { "Content-Encoding": "gzip" },
    body: new Uint8Array(gzipSync(plain)),
  });
  expect(answer.status).toBe(200);
  const row = envelopeRows(page).filter({ hasText: "from_the_future" });
  await expect(row).toContainText("gzip");
  // In the inbox all are stored.
  await expect(envelopesView(page).getByRole("columnheader", { name: "Outcome" })).toHaveCount(0);
  await envelopesView(page).getByRole("searchbox").fill("BY A SCRIPT");
  await expect(envelopeRows(page)).toHaveCount(1);
  await row.getByRole("link", { name: /^Envelope / }).click();
  await expect(envelopesView(page)).toContainText(/as gzip, \d+\sB decompressed/);
  await expect(envelopesView(page).getByLabel("Payload of item 1")).toContainText(
    "sent by a script",
  );
  await page.reload();
  await expect(envelopesView(page).getByLabel("Payload of item 1")).toContainText(
    "sent by a script",
  );
  await envelopesView(page).getByRole("link", { name: "All envelopes" }).click();
  await expect(envelopesView(page).getByRole("searchbox")).toHaveValue("BY A SCRIPT");

  await page.goto("/#/envelopes/999999");
  await expect(envelopesView(page)).toContainText("Envelope 999999 not found");
});
