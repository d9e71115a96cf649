/** Envelopes in files: inspected, exported and imported. */
import { envelopeOf, hexId } from "../../monitoring/inbox/testdata/envelopes.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import { openPage } from "../harness/browser/signals.ts";
import {
  dropFile,
  envelopesView,
  inspectFile,
  openMenu,
  openView,
} from "../harness/browser/views.ts";

test.describe("in relay mode", () => {
  test.use({ mode: "relay" });

  test("a dropped file → inspected, not uploaded", async ({ page, sent }) => {
    await openPage(page);
    await openView(page, "Envelopes");
    // The view has loaded everything that it needs.
    await expect(envelopesView(page)).toContainText(/envelopes? of this visit/);
    const before = sent.all.length;
    const canary = "c4n4ry-in-a-saved-file";
    const bytes = envelopeOf({ event_id: hexId(1) }, ["event", { message: canary }]);
    await dropFile(page, { name: "saved.envelope", bytes });
    await expect(envelopesView(page).getByRole("heading", { name: "saved.envelope" }))
      .toBeFocused();
    await expect(envelopesView(page).getByLabel("Payload of item 1")).toContainText(canary);
    await expect(envelopesView(page)).toContainText("not uploaded");
    await page.keyboard.press("Escape");
    await expect(envelopesView(page).getByRole("button", { name: "Inspect a file" })).toBeVisible();
    // Only the page's own telemetry was sent, without the file's content, and the relay's health was read.
    for (const { url, kind, decoded } of sent.all.slice(before)) {
      // On a slow machine a script may be requested so late.
      if (kind !== "script") expect(url.pathname).toBe("/monitoring");
      expect(new TextDecoder().decode(decoded)).not.toContain(canary);
    }
    const cut = new TextEncoder().encode('{}\n{"type":"log","length":99}\ncut');
    await inspectFile(page, { name: "cut.envelope", bytes: cut });
    await expect(envelopesView(page).getByRole("alert")).toContainText("The file is truncated");
  });

  test("hostile envelopes (HTML, unknown items, a megabyte, deep nesting) → shown as text", async ({ page }) => {
    let dialogs = 0;
    page.on("dialog", (dialog) => {
      dialogs++;
      void dialog.dismiss();
    });
    await openPage(page);
    await openView(page, "Envelopes");
    const html = "<img src=x onerror=alert(1)><script>alert(2)</script>";
    const deep = new TextEncoder().encode("[".repeat(20_000) + "]".repeat(20_000));
    const bytes = envelopeOf(
      { event_id: html, trace: { trace_id: html } },
      ["event", { message: html, exception: { values: [{ type: html, value: html }] } }],
      [html, "of the future"],
      ["event", { message: "x".repeat(1024 * 1024) }],
      ["event", deep],
      ["attachment", new Uint8Array([0, 1, 2, 0x3c, 0x62, 0x3e])],
    );
    await inspectFile(page, { name: `${html}.envelope`, bytes });
    await expect(envelopesView(page).getByLabel("Payload of item 1")).toContainText(html);
    for (const n of [2, 3, 4, 5]) {
      await envelopesView(page).locator(".item > summary").nth(n - 1).click();
    }
    await expect(envelopesView(page).getByLabel("Payload of item 2")).toContainText(
      "of the future",
    );
    await expect(envelopesView(page).getByLabel("Payload of item 5")).toContainText(
      "00 01 02 3c 62 3e",
    );
    const large = envelopesView(page).getByLabel("Payload of item 3");
    expect((await large.innerText()).length).toBeLessThan(25_000);
    await envelopesView(page).getByRole("button", { name: /^Show all \(1\.0/ }).click();
    await expect.poll(async () => (await large.textContent() ?? "").length).toBeGreaterThan(
      2 ** 20,
    );
    expect(await page.locator(".feed-view :is(img, script)").count()).toBe(0);
    expect(dialogs).toBe(0);
  });
});

test("export, delete all, import → the same envelopes; a second import adds none", async ({ page, server, serverArrivals }) => {
  await serverArrivals.waitForItem("the server's log", ({ type }) => type === "log");
  await openPage(page);
  await openView(page, "Envelopes");
  const view = envelopesView(page);
  const bodies = async () => {
    const { envelopes } = await (await fetch(`${server.origin}/monitoring/inbox`)).json();
    const rows = envelopes as { id: number; received_at: number }[];
    return await Promise.all(rows.map(async ({ id, received_at }) => {
      const answer = await fetch(`${server.origin}/monitoring/inbox?id=${id}`);
      return `${received_at} ${await answer.text()}`;
    }));
  };
  const before = await bodies();
  const download = page.waitForEvent("download");
  const menu = await openMenu(page);
  // Closed by Escape, which leaves the focus on the button.
  await page.keyboard.press("Escape");
  await expect(menu).toBeHidden();
  await expect(view.getByRole("button", { name: "More" })).toBeFocused();
  await page.keyboard.press("Enter");
  await menu.getByRole("button", { name: "Export" }).press("Enter");
  const path = await (await download).path();

  await openMenu(page);
  await menu.getByRole("button", { name: "Delete all" }).click();
  await expect(menu.getByRole("button", { name: "Cancel" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(menu).toBeHidden();
  expect(await bodies()).toEqual(expect.arrayContaining(before));
  await openMenu(page);
  await menu.getByRole("button", { name: "Delete all" }).click();
  await menu.getByRole("button", { name: "Delete all" }).click();
  await expect.poll(bodies).not.toContain(before[0]);

  const imported = view.getByRole("status").filter({ hasText: "imported" });
  await view.getByLabel("File to import").setInputFiles(path);
  await expect(imported).toContainText(/[1-9]\d*\senvelopes? imported/);
  expect(await bodies()).toEqual(expect.arrayContaining(before));
  await view.getByLabel("File to import").setInputFiles(path);
  await expect(imported).toContainText(/0\senvelopes imported, \d+ already in the inbox/);
});
