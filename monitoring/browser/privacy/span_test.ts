import assert from "node:assert/strict";
import { scrubSpan } from "./span.ts";

const ORIGIN = "https://page.example";

interface Span {
  readonly name: string;
  readonly attributes: Record<string, unknown>;
}

const CASES: readonly (readonly [title: string, sent: Span, scrubbed: Span])[] = [
  ["request → no query in its name or attributes", {
    name: `GET ${ORIGIN}/signal?q=SECRET`,
    attributes: {
      "sentry.op": "http.client",
      "url.full": `${ORIGIN}/signal?q=SECRET#SECRET`,
      "http.query": "?q=SECRET",
      "http.fragment": "#SECRET",
      "http.response.status_code": 200,
    },
  }, {
    name: `GET ${ORIGIN}/signal`,
    attributes: {
      "sentry.op": "http.client",
      "url.full": `${ORIGIN}/signal`,
      "http.response.status_code": 200,
    },
  }],
  ["request to an unknown path → <unknown>, also if it is relative to the page", {
    name: "GET SECRET/confirm",
    attributes: { "sentry.op": "http.client", url: "SECRET/confirm", "url.path": "/a/SECRET" },
  }, {
    name: "GET <unknown>",
    attributes: { "sentry.op": "http.client", url: "<unknown>", "url.path": "<unknown>" },
  }],
  ["image resource → only its file extension", {
    name: "/people/SECRET.png",
    attributes: { "sentry.op": "resource.img", "url.full": `${ORIGIN}/people/SECRET.png` },
  }, { name: "/*.png", attributes: { "sentry.op": "resource.img", "url.full": "/*.png" } }],
  ["addresses in a list attribute → scrubbed one by one", {
    name: "work",
    attributes: { list: ["/reset/SECRET", 1] },
  }, { name: "work", attributes: { list: ["<unknown>", 1] } }],
  ["span of the page's code without addresses → unchanged", {
    name: "manual span",
    attributes: { step: "two", count: 3 },
  }, { name: "manual span", attributes: { step: "two", count: 3 } }],
];
for (const [title, sent, scrubbed] of CASES) {
  Deno.test(title, () => {
    assert.equal(scrubSpan(sent, ORIGIN), sent, "the same object");
    assert.deepEqual(sent, scrubbed);
  });
}

Deno.test("web vitals → no element texts, no image address", () => {
  const span = scrubSpan({
    name: 'main > img[alt="SECRET"]',
    attributes: {
      "sentry.op": "ui.webvital.lcp",
      "browser.web_vital.lcp.element": 'main > img[alt="SECRET"]',
      "browser.web_vital.cls.source.1": 'p[title="SECRET"]',
      "browser.web_vital.lcp.url": `${ORIGIN}/SECRET.jpg`,
      "browser.script.invoker": `IMG[src=${ORIGIN}/SECRET.jpg].onload`,
      "sentry.browser.measure.detail.who": "SECRET",
    },
  }, ORIGIN);
  assert.equal(span.name, "main > img");
  assert.ok(!JSON.stringify(span).includes("SECRET"));
});
