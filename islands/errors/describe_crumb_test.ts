import assert from "node:assert/strict";
import { readBreadcrumbs } from "../../monitoring/models/error/breadcrumbs.ts";
import { describeCrumb } from "./describe_crumb.ts";

const request = (status: string) =>
  [["method", "GET"], ["url", "/a"], ["status_code", status]] as const;

Deno.test("a request → method and address, status, span; other values stay", () => {
  const span = "865d7941194665d7";
  const line = describeCrumb({
    level: "info",
    message: "",
    data: [...request("200"), ["__span", span], ["reason", "OK"]],
  });
  assert.deepEqual(line, {
    kind: "flows",
    request: "GET /a",
    status: "200",
    level: null,
    span,
    data: [["reason", "OK"]],
  });
});

Deno.test("a request of a server → as one of a browser, with its query", () => {
  const { request, data } = describeCrumb({
    level: "info",
    message: "",
    data: [["url", "http://api/charge"], ["http.request.method", "POST"], [
      "url.query",
      "amount=27",
    ]],
  });
  assert.deepEqual([request, data], ["POST http://api/charge?amount=27", []]);
});

Deno.test("a status of 5xx or 4xx, or the level → failure or warning", () => {
  const kinds = (level: string, status: string) => {
    const line = describeCrumb({ level, message: "", data: request(status) });
    return [line.kind, line.level];
  };
  assert.deepEqual(kinds("info", "500"), ["refused", null]);
  assert.deepEqual(kinds("warning", "503"), ["refused", null]);
  assert.deepEqual(kinds("info", "404"), ["waits", null]);
  assert.deepEqual(kinds("error", "200"), ["refused", "error"]);
  assert.deepEqual(kinds("warning", "none"), ["waits", "warning"]);
});

Deno.test("not a request, or an invalid span → the values as sent, no link", () => {
  const data = [["url", "/a"], ["to", "/b"]] as const;
  const line = describeCrumb({ level: "info", message: "", data: [...data, ["__span", "../x"]] });
  assert.deepEqual([line.request, line.data, line.span], [null, data, null]);
});

Deno.test("one text to console.log → not repeated as its arguments; several stay", () => {
  const dataOf = (message: string, ...sent: unknown[]) => {
    const crumb = { category: "console", message, data: { arguments: sent, logger: "console" } };
    const [read] = readBreadcrumbs({ breadcrumbs: [crumb] }, null).shown;
    return describeCrumb(read!).data.map(([name]) => name);
  };
  assert.deepEqual(dataOf("api up", "api up"), []);
  assert.deepEqual(dataOf("cart [object Object]", "cart", { id: 7 }), ["arguments"]);
});
