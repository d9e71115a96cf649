/** Groups of errors: states, regressions, deletion, notifications. */
import type { Page } from "@playwright/test";
import { expect, listRows, test } from "../harness/browser/fixtures.ts";
import { expectAccessible } from "../harness/browser/page_look.ts";
import { DSN, postEnvelope } from "../harness/browser/posted.ts";
import { ERRORS, make, openPage } from "../harness/browser/signals.ts";
import { chooseFilter, openMenu, openView } from "../harness/browser/views.ts";
import { envelopeOf, error, hexId } from "../../monitoring/inbox/testdata/envelopes.ts";

const post = (origin: string, message: string, release: string) =>
  postEnvelope(
    origin,
    { sdk: { name: "sentry.python" }, sender: { environment: "test", release } },
    error(message),
  );
const row = (page: Page, text: string) =>
  page.getByRole("table", { name: /^Errors/ }).getByRole("row").filter({ hasText: text });
const errorsView = (page: Page) => page.getByRole("region", { name: "Errors", exact: true });
const group = (page: Page) => page.getByRole("group", { name: "Group" });

test("no open errors → resolved and muted ones are offered only if there are any", async ({ page, watch }) => {
  watch.allow(ERRORS.handled);
  await openPage(page);
  await openView(page, "Errors");
  const offer = page.getByRole("link", { name: "Show resolved and muted ones" });
  await expect(errorsView(page)).toContainText("No open errors.");
  await expect(offer).toHaveCount(0);
  await make(page, "handled");
  await openView(page, "Errors");
  await row(page, ERRORS.handled).getByRole("link").click();
  await group(page).getByRole("button", { name: "Resolve" }).click();
  await openView(page, "Errors");
  await offer.click();
  await expect(row(page, ERRORS.handled)).toContainText("resolved");
});

test("only muted errors of an application → they are offered", async ({ page, server }) => {
  await post(server.origin, "boom", "shop@1.0.0");
  const [{ group }] = await listRows(server.origin, "errors");
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ state: "muted" });
  const address = `${server.origin}/monitoring/inbox?group=${group}`;
  expect((await fetch(address, { method: "PATCH", headers, body })).status).toBe(204);
  // The order of a list is no filter.
  await page.goto("/#/errors?sort=-count");
  await expect(errorsView(page)).toContainText("No open errors of your applications.");
  await page.getByRole("link", { name: "Show resolved and muted ones" }).click();
  await expect(row(page, "boom")).toContainText("muted");
});

test("groups leave the list while others arrive → all new ones are counted", async ({ page, server }) => {
  await post(server.origin, "old", "shop@1.0.0");
  const [{ group }] = await listRows(server.origin, "errors");
  await page.goto("/#/traces");
  const navigation = page.getByRole("navigation", { name: "Views" });
  const answered = () => page.waitForResponse(/view=applications/);
  await expect(page.getByRole("region", { name: "Traces" })).toContainText("No traces");
  await post(server.origin, "first", "shop@1.0.0");
  await expect(navigation).toContainText("Errors1 new");
  const read = answered();
  await fetch(`${server.origin}/monitoring/inbox?group=${group}`, { method: "DELETE" });
  await read;
  await post(server.origin, "second", "shop@1.0.0");
  await expect(navigation).toContainText("Errors2 new");
  const items = Array(10_000).fill({ body: "many" });
  await postEnvelope(server.origin, {}, ["log", { items }]);
  await expect(navigation).toContainText("Logs10,000+ new");
  await page.reload();
  await expect(navigation).toContainText("Logs10,000+Recordings");
});

test("some errors unhandled → badges of the group; ids, first and last seen are different", async ({ page, server }) => {
  const failed = (order: number, handled: boolean) =>
    error("", order, {
      exception: {
        values: [{
          type: "Error",
          value: `GET /api/orders/${order} answered 500`,
          mechanism: { type: "auto.http.fastify", handled },
        }],
      },
    });
  const sender = { environment: "test", release: "shop@1.4.2" };
  const send = (...errors: ReturnType<typeof failed>[]) =>
    postEnvelope(server.origin, { sdk: { name: "sentry.javascript.node" }, sender }, ...errors);
  await send(failed(1, false), failed(2, false));
  await send(failed(3, true));
  await page.goto("/#/errors");
  const title = "Error GET /api/orders/… answered 500";
  await expect(row(page, "2 of 3 unhandled")).toContainText(title);
  await row(page, title).getByRole("link").click();
  await expect(page.locator(".detail-name:visible"))
    .toContainText(/2 of 3 unhandled\s*this one handled/);
  await page.goto("/#/overview");
  const application = page.getByRole("region", { name: "Applications" }).getByRole("row").last();
  await expect(application).toContainText(/Failing\s*since .*3\s*open errors/);
  await expect(application).toContainText(/1\.4\.2 first seen \d/);
  const { id } = (await listRows(server.origin, "envelopes")).find((row) =>
    row.trace_ids.length > 1
  )!;
  await page.goto(`/#/envelopes/${id}`);
  await expect(page.locator("dd").filter({ hasText: hexId(1) })).toHaveText(
    `${hexId(1)}, ${hexId(2)}`,
  );
  await expect(page.locator("dd").filter({ hasText: "orders/2" }))
    .toHaveText(/orders\/1 answered 500, Error: GET/);
});

test("error that Sightglass has, too → its detail counts what the list does; alone, by a link", async ({ page, server }) => {
  await post(server.origin, "shared", "shop@1.0.0");
  await post(server.origin, "shared", "bakery@1.0.0");
  await page.goto("/#/errors");
  for (const message of ["shared", "own"]) {
    // As the page sends its own.
    const header = { dsn: DSN, sdk: { name: "sentry.javascript.browser" }, sightglass: 1 };
    const body = new TextDecoder().decode(envelopeOf(header, error(message)));
    await page.evaluate((body) => fetch("/monitoring", { method: "POST", body }), body);
  }
  await row(page, "shared").getByRole("link").click();
  await expect(page.getByText("event 1 of 2", { exact: true })).toBeVisible();
  const groups = await listRows(server.origin, "errors");
  await page.goto(`/#/errors/${groups.find(({ value }) => value === "own").group}`);
  await expect(page.getByText("event 1 of 1", { exact: true })).toBeVisible();
  await page.goto(
    `/#/errors/${groups.find(({ value }) => value === "shared").group}?application=all`,
  );
  await expect(page.getByText("event 1 of 3", { exact: true })).toBeVisible();
  await expect(page.getByTitle(/ \+ /).getByText("+2", { exact: true })).toBeVisible();
});

test("group resolved, muted, back, deleted → lists of every tab follow", async ({ page, context, server }) => {
  await post(server.origin, "no stock", "shop@1.4.1");
  await page.goto("/#/errors");
  const other = await context.newPage();
  await other.goto("/#/errors");
  await expect(row(other, "no stock")).toBeVisible();

  await page.bringToFront();
  await row(page, "no stock").getByRole("link").click();
  await expect(group(page)).toBeVisible();
  // As on a busy machine: no read is answered before the state is shown.
  const { promise: isShown, resolve: shown } = Promise.withResolvers<void>();
  await page.route(/view=errors/, async (route) => {
    await isShown;
    await route.continue();
  });
  await group(page).getByRole("button", { name: "Resolve" }).focus();
  await page.keyboard.press("Enter");
  // The same button undoes it.
  await expect(group(page).getByRole("button", { name: "Reopen" })).toBeFocused();
  await expect(group(page).getByRole("status")).toHaveText("resolved");
  shown();
  await expectAccessible(page);
  await expect(other.getByText("No open errors of your applications.")).toBeVisible();
  await chooseFilter(errorsView(other), "State", "resolved");
  await expect(row(other, "no stock")).toContainText("resolved");
  await expect(other).toHaveURL(/#\/errors\?state=resolved$/);

  await post(server.origin, "no stock", "shop@1.4.2");
  const regression = "Regression in shop@1.4.2, resolved in shop@1.4.1";
  await expect(group(page).getByRole("status")).toHaveText(regression);
  await expect(other.getByText("No errors match the filter.")).toBeVisible();
  await chooseFilter(errorsView(other), "State", "open");
  await expect(row(other, "no stock")).toContainText(regression);

  const more = group(page).getByRole("button", { name: "More about the error" });
  await more.click();
  await group(page).getByRole("button", { name: "Mute" }).click();
  await expect(group(page).getByRole("status")).toHaveText("muted");
  await expect(row(other, "no stock")).toHaveCount(0);
  await chooseFilter(errorsView(other), "State", "all");
  await expect(row(other, "no stock")).toContainText("muted");

  await group(page).getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(more).toBeFocused();
  await page.keyboard.press("Enter");
  await group(page).getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete group" }).click();
  await expect(page).toHaveURL(/#\/errors$/);
  await expect(row(other, "no stock")).toHaveCount(0);
});

test("error new in a release, one of before → marked as new, not marked; steps between them", async ({ page, server }) => {
  await post(server.origin, "of both", "shop@1.0.0");
  await page.goto("/#/errors");
  await expect(row(page, "of both")).toBeVisible();
  await post(server.origin, "brand new", "shop@1.1.0");
  await post(server.origin, "of both", "shop@1.1.0");
  const detail = page.getByRole("article");
  const mark = detail.getByText("new in 1.1.0");
  await row(page, "brand new").getByRole("link").click();
  await expect(mark).toHaveAttribute(
    "title",
    /^All stored errors .* this release\. Errors of 1\.0\.0/,
  );
  await page.getByRole("link", { name: "Previous error" }).click();
  await expect(detail).toContainText("of both");
  await expect(mark).toHaveCount(0);
  await expect(page.getByRole("link", { name: "Previous error" })).toHaveCount(0);
  await page.getByRole("link", { name: "Next error" }).click();
  await expect(detail).toContainText("brand new");
  await expect(mark).toBeVisible();
});

/** The notifications that a page has shown. */
const shown = (page: Page) =>
  page.evaluate(() => {
    const { shown } = globalThis as unknown as { shown: Notification[] };
    return shown.map(({ title, body }) => `${title} / ${body}`);
  });

test("notifications on → one for a new and a regressed group, not while Errors is visible", async ({ page, context, server }) => {
  await context.grantPermissions(["notifications"]);
  await context.addInitScript(() => {
    const shown: Notification[] = [];
    Object.assign(globalThis, {
      shown,
      Notification: class extends Notification {
        constructor(...args: ConstructorParameters<typeof Notification>) {
          super(...args);
          shown.push(this);
        }
      },
    });
  });
  // The first tab has the stream and shows the notifications, the other one shows the errors.
  await page.goto("/#/");
  const hasStream = () =>
    page.evaluate(async () => {
      const { held = [] } = await navigator.locks.query();
      return held.some(({ name }) => name === "sightglass /monitoring/inbox");
    });
  await expect.poll(hasStream).toBe(true);
  const other = await context.newPage();
  await other.goto("/#/errors");
  const menu = await openMenu(other);
  const notify = menu.getByRole("button", { name: "Notify me" });
  await expect(notify).toHaveAttribute("aria-pressed", "false");
  await notify.click();
  await expect(notify).toHaveAttribute("aria-pressed", "true");

  await post(server.origin, "seen in the list", "shop@1");
  await expect(row(other, "seen in the list")).toBeVisible();
  await other.goto("/#/traces");
  await post(server.origin, "no stock", "shop@1");
  const first = "New error: TypeError / no stock";
  await expect.poll(() => shown(page)).toEqual([first]);

  const [{ group: key }] = await listRows(server.origin, "errors&q=no+stock");
  await fetch(`${server.origin}/monitoring/inbox?group=${key}`, {
    method: "PATCH",
    body: '{"state":"resolved"}',
  });
  await post(server.origin, "no stock", "shop@2");
  const second = "Regression: TypeError / no stock";
  await expect.poll(() => shown(page)).toEqual([first, second]);
  await page.evaluate(() => {
    const { shown } = globalThis as unknown as { shown: Notification[] };
    shown.at(-1)!.dispatchEvent(new Event("click"));
  });
  await expect(page).toHaveURL(new RegExp(`#/errors/${key}$`));
  await expect(group(page)).toContainText("Regression in shop@2");

  await page.goto("/#/traces");
  const fruit = ["apple", "pear", "plum", "cherry", "fig", "grape", "lemon"];
  for (const name of fruit) await post(server.origin, `no ${name}`, "shop@2");
  // At most three a minute; two were shown before, on a slow machine more than a minute ago.
  await expect.poll(async () => (await shown(page)).at(-1))
    .toMatch(/^[4-6]\smore new or regressed errors \/ Click/);
  expect(await shown(other)).toEqual([]);
});
