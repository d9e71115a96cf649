/** Envelopes of others: shown as text, exported and imported. */
import { hexId } from "../../monitoring/inbox/testdata/envelopes.ts";
import { expect, listRows, test } from "../harness/browser/fixtures.ts";
import { postEnvelope } from "../harness/browser/posted.ts";
import { openPage } from "../harness/browser/signals.ts";
import { envelopesView, openMenu, openView } from "../harness/browser/views.ts";

test("hostile envelopes (HTML, unknown items, a megabyte, deep nesting) → shown as text", async ({ page, server }) => {
  let dialogs = 0;
  page.on("dialog", (dialog) => {
    dialogs++;
    void dialog.dismiss();
  });
  const html = "<img src=x onerror=alert(1)><script>alert(2)</script>";
  const deep = new TextEncoder().encode("[".repeat(20_000) + "]".repeat(20_000));
  await postEnvelope(
    server.origin,
    { event_id: hexId(1), trace: { trace_id: html } },
    ["event", { message: html, exception: { values: [{ type: html, value: html }] } }],
    [html, new TextEncoder().encode("of the future")],
    ["event", { message: "x".repeat(1024 * 1024) }],
    ["event", deep],
    ["attachment", new Uint8Array([0, 1, 2, 0x3c, 0x62, 0x3e])],
  );
  const [{ id }] = await listRows(server.origin, "envelopes&application=apps");
  await page.goto(`/#/envelopes/${id}`);
  const view = envelopesView(page);
  const payload = (n: number) => view.getByLabel(`Payload of item ${n}`);
  await expect(payload(1)).toContainText(html);
  for (const n of [2, 3, 4, 5]) await view.locator(".item > summary").nth(n - 1).click();
  await expect(payload(2)).toContainText("of the future");
  await expect(payload(5)).toContainText("00 01 02 3c 62 3e");
  expect((await payload(3).textContent() ?? "").length).toBe(200_000);
  await expect(view.locator(".item").nth(2)).toContainText("truncated: see the download");
  await view.getByText("Envelope header").click();
  await expect(view.getByLabel("Envelope header")).toContainText(html);
  expect(await view.locator(":is(img, script)").count()).toBe(0);
  expect(dialogs).toBe(0);
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
