/** The envelopes view: the list and one envelope. */
import { expect, listRows, test } from "../harness/browser/fixtures.ts";
import { postEnvelope } from "../harness/browser/posted.ts";
import { ERRORS, make, openPage } from "../harness/browser/signals.ts";
import { envelopeRows, envelopesView, openView } from "../harness/browser/views.ts";

test.describe("in relay mode", () => {
  test.use({ mode: "relay", ingestHost: "o1.ingest.us.sentry.io" });

  test("an envelope → its address, its trace in Sentry, download; opened and left by keyboard", async ({ page, arrivals, watch }) => {
    watch.allow(ERRORS.handled);
    await openPage(page);
    await make(page, "handled");
    const { envelope } = await arrivals.waitForItem("the error", ({ type }) => type === "event");
    await openView(page, "Envelopes");
    const view = envelopesView(page);
    const eventLink = page.getByRole("link", { name: /^Envelope \d+: event/ });
    await expect(envelopeRows(page).filter({ has: eventLink })).toContainText("delivered");
    // All are listed: there is no search.
    await expect(view.locator(".list-foot")).toHaveText(/open\s*\d+\senvelopes?$/);
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

test("value that is no number → the envelope states that a point of it is in no list", async ({ page, server }) => {
  // As SDKs for JavaScript send NaN.
  const point = { timestamp: Date.now() / 1_000, name: "hit.ratio", type: "gauge", value: null };
  await postEnvelope(server.origin, {}, ["trace_metric", { items: [point] }]);
  const [{ id }] = await listRows(server.origin, "envelopes&type=trace_metric");
  await page.goto(`/#/envelopes/${id}`);
  await expect(envelopesView(page)).toContainText(
    /In no list .* 1 of its .*, of a form that is not read or too many/,
  );
});

test("envelopes by time → by the server's clock, not by their senders'", async ({ page, server }) => {
  await postEnvelope(server.origin, { sent_at: "2020-01-01T00:00:00Z" }, ["log", { items: [] }]);
  await page.goto("/#/envelopes");
  await expect(envelopesView(page).getByRole("button", { name: "Received" }))
    .toHaveAccessibleDescription("By this server’s clock");
});
