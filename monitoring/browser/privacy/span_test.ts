import assert from "node:assert/strict";
import { scrubSpan } from "./span.ts";

const ORIGIN = "https://page.example";

Deno.test("span of a request → no query in its name or attributes", () => {
  const { name, attributes } = scrubSpan({
    name: "GET https://page.example/signal?q=SECRET",
    attributes: {
      "sentry.op": "http.client",
      "url.full": "https://page.example/signal?q=SECRET#SECRET",
      "http.query": "?q=SECRET",
      "http.fragment": "#SECRET",
      "http.response.status_code": 200,
    },
  }, ORIGIN);
  assert.equal(name, "GET https://page.example/signal");
  assert.deepEqual(attributes, {
    "sentry.op": "http.client",
    "url.full": "https://page.example/signal",
    "http.response.status_code": 200,
  });
});

Deno.test("addresses in a list attribute → scrubbed one by one, in the same span", () => {
  const span = { name: "work", attributes: { list: ["/reset/SECRET", 1] } };
  assert.equal(scrubSpan(span, ORIGIN), span);
  assert.deepEqual(span.attributes, { list: ["<unknown>", 1] });
});

Deno.test("request to an unknown path → <unknown>, also if it is relative to the page", () => {
  const span = scrubSpan({
    name: "GET SECRET/confirm",
    attributes: { "sentry.op": "http.client", url: "SECRET/confirm", "url.path": "/a/SECRET" },
  }, ORIGIN);
  assert.equal(span.name, "GET <unknown>");
  assert.deepEqual(span.attributes, {
    "sentry.op": "http.client",
    url: "<unknown>",
    "url.path": "<unknown>",
  });
});

Deno.test("image resource → only its file extension", () => {
  const { name, attributes } = scrubSpan({
    name: "/people/SECRET.png",
    attributes: { "sentry.op": "resource.img", "url.full": `${ORIGIN}/people/SECRET.png` },
  }, ORIGIN);
  assert.equal(name, "/*.png");
  assert.equal(attributes?.["url.full"], "/*.png");
});

Deno.test("web vitals → no element texts, no image address", () => {
  const span = scrubSpan({
    name: 'main > img[alt="SECRET"]',
    attributes: {
      "sentry.op": "ui.webvital.lcp",
      "browser.web_vital.lcp.element": 'main > img[alt="SECRET"]',
      "browser.web_vital.cls.source.1": 'p[title="SECRET"]',
      "browser.web_vital.lcp.url": `${ORIGIN}/SECRET.jpg`,
      "browser.script.invoker": "IMG[src=https://page.example/SECRET.jpg].onload",
      "sentry.browser.measure.detail.who": "SECRET",
    },
  }, ORIGIN);
  assert.equal(span.name, "main > img");
  assert.ok(!JSON.stringify(span).includes("SECRET"));
});

Deno.test("interaction → the element without its texts", () => {
  const attributes = { "sentry.op": "ui.interaction.click" };
  const { name } = scrubSpan({ name: 'button[aria-label="SECRET"]', attributes }, ORIGIN);
  assert.equal(name, "button");
});

Deno.test("custom span without addresses → unchanged", () => {
  const span = scrubSpan({ name: "manual span", attributes: { step: "two", count: 3 } }, ORIGIN);
  assert.deepEqual(span, { name: "manual span", attributes: { step: "two", count: 3 } });
  assert.deepEqual(scrubSpan({ name: "bare" }, ORIGIN), { name: "bare" });
});
