import assert from "node:assert/strict";
import fc from "fast-check";
import {
  matches,
  MAX_QUERY_LENGTH,
  parseQuery,
  type Searched,
  sharedName,
  withValue,
} from "./query.ts";
import { idWords, wordsOf } from "./words.ts";

const SPAN_ID = "9f8e7d6c5b4a3928";
const EVENT_ID = "0123456789abcdef0123456789abcdef";
const ATTRIBUTES = {
  "order.id": "A-1234",
  "http.request.method": "POST",
  "method": "placeOrder",
  "http.response.status_code": 503,
  "tool.args": '{"city":"Reykjavik"}',
  "empty": "",
  "is_new": true,
  "ratio": -0.5,
  "file": "C:\\temp\\a b.txt",
  "none": null,
  "request.url": "https://shop.example/a",
  "host.name": "box-1",
  "replay": "fedcba9876543210fedcba9876543210",
};
const NAMES = "POST /api/Größe café main.go:42";
const FIELDS = {
  name: "POST /api/Größe",
  op: "http.server",
  duration: 1_500,
  level: 3,
  type: null,
  application: ["shop", "a1b2"],
  release: ["shop@1.4.0", "1.4.0"],
  environment: "test",
};
const ENTRY: Searched = {
  words: wordsOf(
    [NAMES, ...Object.entries(ATTRIBUTES).map((pair) => pair.join(" "))]
      .join("\n"),
  ),
  ids: idWords(EVENT_ID, null, SPAN_ID),
  fields: FIELDS,
  attributes: ATTRIBUTES,
};
const found = (query: string, options = {}) => matches(parseQuery(query), ENTRY, options);

const FOUND = [
  "",
  "post",
  "reykj",
  "reykj*",
  "GRÖẞE größe gro",
  "cafe CAFÉ caf",
  '"post api"',
  "api/gr",
  "main.go:42",
  "order.id:A-1234",
  "order.id:a-1234",
  'order.id:"A-1234"',
  "order.id:A-1*",
  "order.id:*",
  "-order.id:A-1",
  "-order.id:B-*",
  "-nothing -more:1",
  "method:post",
  'url.full:"https://shop.example/a" request.url:"https://shop.example/a"',
  'server:box-1 -server:"box"',
  "status_code:503 status_code:>=500 status_code:500..599 status_code:<504 status_code:503.0",
  "status_code:5xx http.response.status_code:5XX -http.status_code:4xx",
  "status:503 status:>=500 status:5xx status:5XX status:500..599 -status:4xx",
  "is_new:true ratio:-0.5 ratio:<0",
  'empty:""',
  'file:"C:\\\\temp\\\\a b.txt"',
  "duration:>500ms duration:<2s duration:1s..2s duration:>1500us duration:<0.1min duration:>500",
  "duration:1.5s..",
  "level:warn level:info -level:error",
  'name:"POST /api/Größe" name:post* op:http.server',
  "service.name:shop service.version:1.4.0 deployment.environment.name:test",
  "deployment.environment:test -service.name:web",
  "9f8e7d6c",
  "9F8E7D6C-5B4A-3928",
  "01234567-89AB-CDEF-0123-456789ABCDEF",
  "0123456789ab",
  `00-${EVENT_ID.toUpperCase()}-00f067aa0ba902b7-01`,
  `${EVENT_ID}-00f067aa0ba902b7-1 ${EVENT_ID}-00f067aa0ba902b7`,
  `trace_id:${EVENT_ID} traceId=${EVENT_ID} span_id:${SPAN_ID} trace_id:"${EVENT_ID}"`,
  `traceparent: 00-${EVENT_ID}-00f067aa0ba902b7-01 sentry-trace:${EVENT_ID}-00f067aa0ba902b7`,
  "fedcba98-7654-3210-fedc-ba9876543210 FEDCBA98-7654",
  '% & - -- : "',
];
const NOT_FOUND = [
  "eykjavik",
  '"pos"',
  '"api post"',
  "-post",
  "main.go:4",
  'main.go:"42"',
  "order.id:A-123",
  "order.id:1234",
  "-order.id:A-1234",
  "-order.id:*",
  "status_code:>503 status_code:503",
  "status:502",
  "status:4xx",
  "-status:5xx",
  "status_code:4xx",
  `-trace_id:${EVENT_ID}`,
  `trace_id:${EVENT_ID.slice(1)}0`,
  "method:placeOrder",
  "order.id:>1",
  "ratio:>0",
  "none:*",
  "none:null",
  "type:*",
  "other:*",
  "duration:<1s",
  "-duration:1s..2s",
  "level:error",
  'order.id:"A-1*"',
  "name:POST",
  "service.name:web",
  "-deployment.environment.name:test",
  "http://post",
  "9f8e7d6d",
  "9f8e7d6",
  "9",
  "8e7d6c5b4a3928",
  "12345678",
  `00-${EVENT_ID.slice(1)}0-00f067aa0ba902b7-01`,
];

for (const query of FOUND) {
  Deno.test(`query ${query} → found`, () => assert.ok(found(query)));
}
for (const query of NOT_FOUND) {
  Deno.test(`query ${query} → not found`, () => assert.ok(!found(query)));
}

Deno.test("within an open trace → text within words, too", () => {
  assert.ok(found("eykjavik go:42 -nothing", { inWords: true }));
  assert.ok(!found("-eykjavik", { inWords: true }));
});

Deno.test("any text → a bounded number of terms, and no error", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 2_000 }), (text) => {
    const terms = parseQuery(text);
    assert.ok(terms.length <= 32);
    for (const { field, phrases } of terms) {
      assert.ok(field !== undefined || phrases.every(({ words }) => words.trim() !== ""));
    }
    matches(terms, ENTRY);
  }));
  const pieces = fc.constantFrom("-", '"', ":", "\\", "a", " ", "..", ">", "*", "//", "é");
  fc.assert(fc.property(fc.array(pieces, { maxLength: 2_000 }), (parts) => {
    matches(parseQuery(parts.join("")), ENTRY);
  }));
});

Deno.test("words → letters and digits in lower case without diacritics", () => {
  for (
    const [text, words] of [
      ["", " "],
      ["GET /api/x_y?a=1", " get api x y a 1 "],
      ["Größe ÉCOLE naïve İ", " große ecole naive i "],
      ["京都へ 한국어 हिन्दी", " 京都へ 한국어 हिन्दी "],
      ["e\u0301\u00a0\ud800x", " e x "],
    ] as const
  ) assert.equal(wordsOf(text), words);
});

Deno.test("a value that is clicked → a query that finds it, or not; clicked again → no change", () => {
  for (const [name, value] of Object.entries(ATTRIBUTES).filter(([, value]) => value !== null)) {
    const only = withValue("post", name, value, false)!;
    assert.ok(found(only), only);
    if (name !== "method") {
      assert.ok(!matches(parseQuery(only), { ...ENTRY, fields: {}, attributes: {} }), only);
    }
    assert.equal(withValue(only, name, value, false), only);
    const not = withValue(only, name, value, true)!;
    assert.equal(not, only.replace("post ", "post -"));
    assert.ok(!found(not), not);
  }
  const shared = withValue("", sharedName("request.method"), "POST", false, true);
  assert.equal(shared, 'method:"POST"');
  const anything = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.double({ noNaN: true }),
    fc.boolean(),
  );
  fc.assert(fc.property(anything, (value) => {
    const sent = JSON.parse(JSON.stringify(value));
    const text = withValue("", "a.b", sent, false)!;
    assert.ok(
      sent === null || matches(parseQuery(text), { ...ENTRY, attributes: { "a.b": sent } }),
      text,
    );
  }));
  assert.equal(withValue("", "a", "x".repeat(MAX_QUERY_LENGTH), false), undefined);
});
