import assert from "node:assert/strict";
import { scrubBreadcrumb } from "./breadcrumb.ts";

const isOwn = (address: string) => address.startsWith("/monitoring");

Deno.test("console output makes no breadcrumb", () => {
  assert.equal(scrubBreadcrumb({ category: "console", message: "for me" }, isOwn), null);
});

Deno.test("a request of the console makes no breadcrumb", () => {
  assert.equal(
    scrubBreadcrumb({ category: "fetch", data: { url: "/monitoring/inbox" } }, isOwn),
    null,
  );
});

Deno.test("a click tells the element and not its texts", () => {
  const crumb = { category: "ui.click", message: 'body > a[title="Ann"]' };
  assert.equal(scrubBreadcrumb(crumb, isOwn)?.message, "body > a");
});

Deno.test("addresses in data lose their queries, and the original is left alone", () => {
  const crumb = { category: "navigation", data: { from: "/a?x=1", to: "/b#y", status_code: 200 } };
  assert.deepEqual(scrubBreadcrumb(crumb, isOwn)?.data, { from: "/a", to: "/b", status_code: 200 });
  assert.equal(crumb.data.from, "/a?x=1");
});
