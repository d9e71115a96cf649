/** The envelopes view: the list, one envelope, saved files, export and import. */
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import { Buffer } from "node:buffer";
import type { Page } from "@playwright/test";
import { envelopeOf, eventEnvelope, hexId } from "../../monitoring/inbox/testdata/envelopes.ts";
import { archiveHeader, archiveItem } from "../../monitoring/protocol/inbox_archive.ts";
import { expect, test } from "./fixtures.ts";
import { expectGoodLook } from "./page_look.ts";
import { dropFile, inspectFile } from "./saved_files.ts";
import { ERRORS, make, openPage } from "./signals.ts";
import { openMenu } from "./views.ts";

const viewOf = (page: Page) => page.getByRole("region", { name: "Envelopes", exact: true });
const rowsOf = (page: Page) =>
  viewOf(page).getByRole("row").filter({ has: page.getByRole("link", { name: /^Envelope / }) });
const openView = (page: Page) =>
  page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Envelopes" }).click();
const open = (page: Page) => rowsOf(page).getByRole("link", { name: /^Envelope / });
const encode = (text: string) => new TextEncoder().encode(text);

test.describe("in relay mode", () => {
  test.use({ mode: "relay" });

  test("envelopes of this visit → listed with outcome, opened and left by keyboard", async ({ page, arrivals, watch }) => {
    watch.allow(ERRORS.handled);
    await openPage(page);
    await make(page, "Handled error");
    await arrivals.waitForItem("the error", ({ type }) => type === "event");
    await openView(page);
    const row = rowsOf(page).filter({
      has: page.getByRole("link", { name: /^Envelope \d+: event/ }),
    });
    await expect(row).toContainText("delivered");
    await expect(row).toContainText(/\d\s(B|KiB)/);

    // The list is one tab stop; arrow keys move between rows.
    await open(page).first().focus();
    await page.keyboard.press("End");
    await expect(open(page).last()).toBeFocused();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Home");
    await expect(open(page).first()).toBeFocused();
    await row.getByRole("link", { name: /^Envelope / }).focus();
    await page.keyboard.press("Enter");
    const heading = viewOf(page).getByRole("heading", { name: /^Envelope \d+$/ });
    await expect(heading).toBeFocused();
    await expect(viewOf(page).getByLabel("Payload of item 1")).toContainText(
      `"value": "${ERRORS.handled}"`,
    );
    await viewOf(page).getByText("Envelope header").click();
    await expect(viewOf(page).getByLabel("Envelope header")).toContainText('"event_id": "');

    await page.keyboard.press("Escape");
    await expect(row.getByRole("link", { name: /^Envelope / })).toBeFocused();
  });

  test("an envelope → its address, links to trace and error, download", async ({ page, arrivals, watch }) => {
    watch.allow(ERRORS.handled);
    await openPage(page);
    await make(page, "Handled error");
    const { envelope } = await arrivals.waitForItem("the error", ({ type }) => type === "event");
    await openView(page);
    await rowsOf(page).filter({ has: page.getByRole("link", { name: /^Envelope \d+: event/ }) })
      .getByRole("link", { name: /^Envelope / }).click();
    await expect(page).toHaveURL(/#\/envelopes\/\d+$/);
    const trace = viewOf(page).getByRole("link", { name: /^[\da-f]{32}$/ });
    expect(await trace.getAttribute("href")).toMatch(/^#\/traces\/[\da-f]{32}$/);
    const error = viewOf(page).getByRole("link", { name: `Error: ${ERRORS.handled}` });
    expect(await error.getAttribute("href")).toMatch(/^#\/errors\/[\da-f]+\/\d+$/);

    const download = page.waitForEvent("download");
    await viewOf(page).getByRole("button", { name: "Download", exact: true }).click();
    const bytes = await Deno.readFile(await (await download).path());
    expect(bytes).toEqual(new Uint8Array(envelope.decoded));

    await page.goBack();
    await expect(rowsOf(page).first()).toBeVisible();
  });

  test("search and item type → filter the list and are in the address", async ({ page, arrivals }) => {
    await openPage(page);
    await make(page, "warn");
    await arrivals.waitForItem("the log", ({ type }) => type === "log");
    await openView(page);
    await viewOf(page).getByLabel("Item type").selectOption("log");
    await expect(page).toHaveURL(/#\/envelopes\?type=log$/);
    await expect(rowsOf(page)).toHaveCount(1);
    await viewOf(page).getByRole("searchbox", { name: "Search envelopes" }).fill("nothing like it");
    await expect(viewOf(page)).toContainText("No envelopes match the filter.");
    await expect(page).toHaveURL(/q=nothing\+like\+it/);
    await page.reload();
    await expect(viewOf(page).getByRole("searchbox")).toHaveValue("nothing like it");
    // The other views keep the search, but not the item type.
    const tab = (name: string) =>
      page.getByRole("navigation", { name: "Views" }).getByRole("link", { name, exact: true });
    await tab("Logs").click();
    await expect(page).toHaveURL(/#\/logs\?q=nothing\+like\+it$/);
    await tab("Envelopes").click();
    await viewOf(page).getByRole("link", { name: "Show all" }).click();
    await expect(viewOf(page).getByRole("searchbox")).toHaveValue("");
  });

  test("pause → rows stay, new envelopes are counted", async ({ page, arrivals, watch }) => {
    watch.allow("made while paused");
    await openPage(page);
    await make(page, "info");
    await arrivals.waitForItem("the log", ({ type }) => type === "log");
    await openView(page);
    await expect(rowsOf(page).filter({ hasText: "log" })).toHaveCount(1);
    await viewOf(page).getByRole("button", { name: "Pause" }).click();
    const before = await rowsOf(page).count();
    await page.evaluate(() => globalThis.reportError(new Error("made while paused")));
    await expect(viewOf(page)).toContainText(/Paused; [1-9]/);
    expect(await rowsOf(page).count()).toBe(before);
    await viewOf(page).getByRole("button", { name: "Resume" }).click();
    await expect.poll(() => rowsOf(page).count()).toBeGreaterThan(before);
  });

  test("export → one file, which can be inspected", async ({ page, arrivals }) => {
    await openPage(page);
    await make(page, "info");
    await arrivals.waitForItem("the log", ({ type }) => type === "log");
    await openView(page);
    await rowsOf(page).filter({ hasText: "log" }).waitFor();
    const download = page.waitForEvent("download");
    await (await openMenu(page)).getByRole("button", { name: "Export" }).click();
    const bytes = await Deno.readFile(await (await download).path());
    await inspectFile(page, { name: "visit.envelope", bytes });
    await expect(viewOf(page)).toContainText(/Exported inbox: \d+\senvelopes?\./);
    await viewOf(page).getByRole("button", { name: "Inspect envelope 1", exact: true }).click();
    await expect(viewOf(page).getByLabel("Payload of item 1")).toBeVisible();
    await viewOf(page).getByRole("button", { name: "Back to the export" }).click();
    await expect(viewOf(page).getByRole("button", { name: "Inspect envelope 1", exact: true }))
      .toBeVisible();
  });

  test("a dropped file → inspected, not uploaded", async ({ page, sent }) => {
    await openPage(page);
    await openView(page);
    // The view has loaded everything that it needs.
    await expect(viewOf(page)).toContainText(/envelopes? of this visit/);
    const before = sent.all.length;
    const canary = "c4n4ry-in-a-saved-file";
    const bytes = envelopeOf({ event_id: hexId(1) }, ["event", { message: canary }]);
    await dropFile(page, { name: "saved.envelope", bytes });
    await expect(viewOf(page).getByRole("heading", { name: "saved.envelope" })).toBeFocused();
    await expect(viewOf(page).getByLabel("Payload of item 1")).toContainText(canary);
    await expect(viewOf(page)).toContainText("not uploaded");
    await page.keyboard.press("Escape");
    await expect(viewOf(page).getByRole("button", { name: "Inspect a file" })).toBeVisible();
    // Only the page's own telemetry was sent, without the file's content, and the relay's health was read.
    for (const { url, decoded } of sent.all.slice(before)) {
      expect(url.pathname).toBe("/monitoring");
      expect(new TextDecoder().decode(decoded)).not.toContain(canary);
    }
  });

  test("compressed files → decompressed; zstd → an error with the command to use", async ({ page }) => {
    await openPage(page);
    await openView(page);
    const plain = envelopeOf({}, ["event", { message: "packed" }]);
    for (const compress of [gzipSync, deflateSync, deflateRawSync, brotliCompressSync]) {
      await inspectFile(page, { name: "packed.envelope", bytes: compress(plain) });
      if (compress === brotliCompressSync && !await supportsBrotli(page)) {
        await expect(viewOf(page).getByRole("alert")).toBeVisible();
      } else {
        await expect(viewOf(page).getByLabel("Payload of item 1")).toContainText("packed");
      }
      await viewOf(page).getByRole("link", { name: "All envelopes" }).click();
    }
    await inspectFile(page, { name: "packed.envelope", bytes: zstdCompressSync(plain) });
    await expect(viewOf(page).getByRole("alert")).toContainText("zstd -d");

    // The list opens in another tab, and the file stays open in this one.
    const [list] = await Promise.all([
      page.context().waitForEvent("page"),
      viewOf(page).getByRole("link", { name: "All envelopes" })
        .click({ modifiers: ["ControlOrMeta"] }),
    ]);
    await list.close();
    await expect(viewOf(page).getByRole("alert")).toContainText("zstd -d");
  });

  test("a malformed file → what is wrong, where, and what would be right", async ({ page }) => {
    await openPage(page);
    await openView(page);
    const bytes = encode('{}\n{"type":"event","length":2}\n{}\n{"type":"log","length":99}\ncut');
    await inspectFile(page, { name: "cut.envelope", bytes });
    const alert = viewOf(page).getByRole("alert");
    await expect(alert).toContainText("A payload ends 96 bytes before its length (at byte 61).");
    await expect(alert).toContainText("Location: item 2.");
    await expect(alert).toContainText("The file is truncated, or the length is too large");
    // Complete items are shown.
    await expect(viewOf(page)).toContainText(/1\scomplete item/);
  });

  test("hostile envelopes (HTML, unknown items, a megabyte, deep nesting) → shown as text", async ({ page }) => {
    let dialogs = 0;
    page.on("dialog", (dialog) => {
      dialogs++;
      void dialog.dismiss();
    });
    await openPage(page);
    await openView(page);
    const html = "<img src=x onerror=alert(1)><script>alert(2)</script>";
    const deep = encode("[".repeat(20_000) + "]".repeat(20_000));
    const bytes = envelopeOf(
      { event_id: html, trace: { trace_id: html } },
      ["event", { message: html, exception: { values: [{ type: html, value: html }] } }],
      [html, "of the future"],
      ["event", { message: "x".repeat(1024 * 1024) }],
      ["event", deep],
      ["attachment", new Uint8Array([0, 1, 2, 0x3c, 0x62, 0x3e])],
    );
    await inspectFile(page, { name: `${html}.envelope`, bytes });
    await expect(viewOf(page).getByLabel("Payload of item 1")).toContainText(html);
    for (const n of [2, 3, 4, 5]) await viewOf(page).locator(".item > summary").nth(n - 1).click();
    await expect(viewOf(page).getByLabel("Payload of item 2")).toContainText("of the future");
    await expect(viewOf(page).getByLabel("Payload of item 5")).toContainText("00 01 02 3c 62 3e");
    const large = viewOf(page).getByLabel("Payload of item 3");
    expect((await large.innerText()).length).toBeLessThan(25_000);
    await viewOf(page).getByRole("button", { name: /^Show all \(1\.0/ }).click();
    await expect.poll(async () => (await large.textContent() ?? "").length).toBeGreaterThan(
      2 ** 20,
    );
    expect(await page.locator(".feed-view :is(img, script)").count()).toBe(0);
    expect(dialogs).toBe(0);
  });

  test("an export with an unreadable envelope → an error for it, the others are readable", async ({ page }) => {
    await openPage(page);
    await openView(page);
    const parts = [
      archiveHeader(2),
      ...archiveItem({ receivedAt: 1, contentEncoding: "zstd", bytes: zstdCompressSync("{}\n") }),
      ...archiveItem({ receivedAt: 2, contentEncoding: "gzip", bytes: gzipSync(eventEnvelope(2)) }),
    ];
    const bytes = new Uint8Array(await new Blob(parts as Uint8Array<ArrayBuffer>[]).arrayBuffer());
    await inspectFile(page, { name: "inbox.envelope", bytes });
    await viewOf(page).getByRole("button", { name: "Inspect envelope 1", exact: true }).click();
    await expect(viewOf(page).getByRole("alert")).toContainText("zstd");
    await viewOf(page).getByRole("button", { name: "Back to the export" }).click();
    await viewOf(page).getByRole("button", { name: "Inspect envelope 2", exact: true }).click();
    await expect(viewOf(page).getByLabel("Payload of item 1")).toContainText("no. 2");
  });

  test("empty, list, detail, invalid file → accessible, no overflow", async ({ page, arrivals }) => {
    const broken = encode(
      `{"${"x".repeat(300)}":1}\n{"type":"${"y".repeat(300)}","length":9}\n{}`,
    );
    await page.goto("/#/envelopes");
    await expect(viewOf(page)).toContainText("No envelopes received");
    await expectGoodLook(page, "empty");
    await openPage(page);
    await make(page, "info");
    await arrivals.waitForItem("the log", ({ type }) => type === "log");
    await openView(page);
    await expect(rowsOf(page).first()).toBeVisible();
    await expectGoodLook(page, "full");
    await open(page).first().click();
    await expect(viewOf(page).getByLabel("Payload of item 1")).toBeVisible();
    await expectGoodLook(page, "one envelope");
    await page.keyboard.press("Escape");
    await inspectFile(page, { name: `${"z".repeat(200)}.envelope`, bytes: broken });
    await expect(viewOf(page).getByRole("alert")).toBeVisible();
    await expectGoodLook(page, "a broken file");
  });
});

test("an envelope posted by a script → listed live, found by search, opened, reloaded", async ({ page, server, watch }) => {
  // The browser logs the 404 of an envelope that does not exist.
  watch.allow("status of 404");
  await page.goto("/#/envelopes");
  await expect(viewOf(page)).toContainText("Live.");
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
  const row = rowsOf(page).filter({ hasText: "from_the_future" });
  await expect(row).toContainText("gzip");
  // In the inbox all are stored.
  await expect(viewOf(page).getByRole("columnheader", { name: "Outcome" })).toHaveCount(0);
  await viewOf(page).getByRole("searchbox").fill("BY A SCRIPT");
  await expect(rowsOf(page)).toHaveCount(1);
  await row.getByRole("link", { name: /^Envelope / }).click();
  await expect(viewOf(page)).toContainText(/as gzip, \d+\sB decompressed/);
  await expect(viewOf(page).getByLabel("Payload of item 1")).toContainText("sent by a script");
  await page.reload();
  await expect(viewOf(page).getByLabel("Payload of item 1")).toContainText("sent by a script");
  await viewOf(page).getByRole("link", { name: "All envelopes" }).click();
  await expect(viewOf(page).getByRole("searchbox")).toHaveValue("BY A SCRIPT");

  await page.goto("/#/envelopes/999999");
  await expect(viewOf(page)).toContainText("Envelope 999999 not found");
});

test.describe("opened under another host name", () => {
  test.use({ serverEnv: { INBOX_TOKEN: "open-sesame" } });

  test("access denied → a form for the token; files can be inspected without it", async ({ page, server, watch }) => {
    watch.allow("403");
    await page.goto(`http://sightglass.localhost:${server.port}/#/envelopes`);
    const view = viewOf(page);
    await expect(view.getByLabel("Inbox token")).toBeVisible();
    await inspectFile(page, { name: "own.envelope", bytes: eventEnvelope(3) });
    await expect(view.getByLabel("Payload of item 1")).toContainText("no. 3");
    await page.keyboard.press("Escape");
    await view.getByLabel("Inbox token").fill("open-sesame");
    await page.keyboard.press("Enter");
    await expect(rowsOf(page).first()).toBeVisible();
  });
});

test.describe("the inbox as one file", () => {
  test("export, delete all, import → the same envelopes; a second import adds none", async ({ page, server, serverArrivals }) => {
    await serverArrivals.waitForItem("the server's log", ({ type }) => type === "log");
    await openPage(page);
    await openView(page);
    const view = viewOf(page);
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
    await expect(menu.getByRole("button", { name: "Export" })).toBeVisible();
    // Closed by Escape, which leaves the focus on the button.
    await page.keyboard.press("Escape");
    await expect(menu).toBeHidden();
    await expect(view.getByRole("button", { name: "More" })).toBeFocused();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await expect(menu.getByRole("button", { name: "Export" })).toBeFocused();
    await page.keyboard.press("Enter");
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

    await view.getByLabel("File to import").setInputFiles(path);
    await expect(view.getByRole("status").filter({ hasText: "imported" })).toContainText(
      /\d+\senvelopes? imported/,
    );
    expect(await bodies()).toEqual(expect.arrayContaining(before));

    await view.getByLabel("File to import").setInputFiles(path);
    await expect(view.getByRole("status").filter({ hasText: "imported" })).toContainText(
      /0\senvelopes imported, \d+ already in the inbox/,
    );
  });

  test("importing a file that is not an export → an error message", async ({ page, watch }) => {
    watch.allow("400");
    await openPage(page);
    await openView(page);
    await viewOf(page).getByLabel("File to import").setInputFiles({
      name: "one.envelope",
      mimeType: "application/octet-stream",
      buffer: Buffer.from(eventEnvelope(1)),
    });
    await expect(viewOf(page).getByRole("status").filter({ hasText: "export" })).toContainText(
      "not an export of an inbox",
    );
  });
});

/** Whether the browser can decompress brotli. */
const supportsBrotli = (page: Page) =>
  page.evaluate(() => {
    try {
      return !!new DecompressionStream("brotli" as CompressionFormat);
    } catch {
      return false;
    }
  });
