import assert from "node:assert/strict";
import { scrubBreadcrumb } from "./breadcrumb.ts";

const ORIGIN = "https://page.example";
const isOwn = (address: string) => address.startsWith("/monitoring");

Deno.test("console output makes no breadcrumb", () => {
  assert.equal(scrubBreadcrumb({ category: "console", message: "for me" }, isOwn, ORIGIN), null);
});

Deno.test("a request of the console makes no breadcrumb", () => {
  assert.equal(
    scrubBreadcrumb({ category: "fetch", data: { url: "/monitoring/inbox" } }, isOwn, ORIGIN),
    null,
  );
});

Deno.test("a click tells the element and not its texts", () => {
  const crumb = { category: "ui.click", message: 'body > a[title="Ann"]' };
  assert.equal(scrubBreadcrumb(crumb, isOwn, ORIGIN)?.message, "body > a");
});

Deno.test("addresses in data → without queries and unknown paths, the original is unchanged", () => {
  const crumb = {
    category: "navigation",
    data: { from: "/reset/TOKEN?x=1", to: "/#y", status_code: 200 },
  };
  assert.deepEqual(scrubBreadcrumb(crumb, isOwn, ORIGIN)?.data, {
    from: "<unknown>",
    to: "/",
    status_code: 200,
  });
  assert.equal(crumb.data.from, "/reset/TOKEN?x=1");
});
