import assert from "node:assert/strict";
import fc from "fast-check";
import { readReports, reportEnvelope, ReportError } from "./browser_report.ts";

type Format = Parameters<typeof readReports>[0];

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const read = (format: Format, value: unknown) => readReports(format, bytes(value));

/** What Chromium 156 sends to `report-uri`. */
const VIOLATION = {
  "document-uri": "https://user:pass@shop.example/cart?q=secret#part",
  referrer: "https://mail.example/inbox?folder=secret",
  "violated-directive": "img-src",
  "effective-directive": "img-src",
  "original-policy": "default-src 'none'; report-uri /monitoring/security?secret",
  disposition: "enforce",
  "blocked-uri": "https://evil.example/a.png?q=secret",
  "line-number": 1,
  "column-number": 122,
  "source-file": "https://shop.example/app.js?v=secret",
  "status-code": 200,
  "script-sample": "secret",
};

const REDUCED = {
  ...VIOLATION,
  "document-uri": "https://shop.example/cart",
  referrer: "https://mail.example/inbox",
  "blocked-uri": "https://evil.example/a.png",
  "source-file": "https://shop.example/app.js",
  "script-sample": undefined,
};
const { "violated-directive": _, "original-policy": __, ...KEPT } = REDUCED;

Deno.test("violation, both forms → known fields, no query, user, policy or sample", () => {
  const expected = [{ type: "csp-violation", violation: KEPT }];
  assert.deepEqual(read("csp-report", { "csp-report": VIOLATION }), expected);
  const body = {
    documentURL: VIOLATION["document-uri"],
    referrer: VIOLATION.referrer,
    effectiveDirective: "img-src",
    originalPolicy: VIOLATION["original-policy"],
    disposition: "enforce",
    blockedURL: VIOLATION["blocked-uri"],
    lineNumber: 1,
    columnNumber: 122,
    sourceFile: VIOLATION["source-file"],
    statusCode: 200,
    sample: VIOLATION["script-sample"],
  };
  const report = { type: "csp-violation", age: 5, url: VIOLATION["document-uri"], body };
  assert.deepEqual(read("reports+json", [report]), expected);
});

Deno.test("what was blocked → address, keyword or scheme; of a Trusted Types sample the sink", () => {
  const of = (fields: Record<string, unknown>) => {
    const [report] = read("csp-report", { "csp-report": { ...VIOLATION, ...fields } });
    assert.ok(report?.type === "csp-violation");
    return report.violation;
  };
  const cases = [
    ["inline", "inline"],
    ["wasm-eval", "wasm-eval"],
    ["data:text/html,<b>secret</b>", "data"],
    ["blob:https://shop.example/3c1e", "blob"],
    ["wss://live.example:9/feed?secret", "wss://live.example:9/feed"],
    ["https://[::1]:9/?secret", "https://[::1]:9/"],
    ["no address at all?secret", "unknown"],
    [`https://evil.example/${"a".repeat(9_000)}`, "unknown"],
    [7, "unknown"],
    ["", "unknown"],
  ];
  for (const [sent, kept] of cases) assert.equal(of({ "blocked-uri": sent })["blocked-uri"], kept);
  assert.equal(
    of({ "script-sample": "Element innerHTML|<b>secret" })["script-sample"],
    "Element innerHTML",
  );
  const old = {
    "effective-directive": undefined,
    "violated-directive": "img-src 'self' a.example",
  };
  assert.equal(of(old)["effective-directive"], "img-src");
});

Deno.test("deprecation, intervention, crash → text without queries; other types → none", () => {
  const url = "https://shop.example/?secret";
  const report = (type: string, body: unknown) => ({ type, age: 1_000, url, body });
  const message = "Loading https://user@font.example/a.woff?secret#secret is slow.";
  const reports = read("reports+json", [
    report("deprecation", { id: "SyncXhr", message, lineNumber: 3, anticipatedRemoval: null }),
    report("intervention", { id: "Vibrate" }),
    report("crash", { reason: "oom", stack: "secret" }),
    report("crash", {}),
    report("network-error", { phase: "dns" }),
    report("toString", {}),
  ]);
  const page = "https://shop.example/";
  const brief = reports.map((one) =>
    one.type === "csp-violation" ? [] : [one.type, one.age, one.page, one.message]
  );
  assert.deepEqual(brief, [
    ["deprecation", 1_000, page, "Loading https://font.example/a.woff is slow."],
    ["intervention", 1_000, page, "Vibrate"],
    ["crash", 1_000, page, "oom"],
    ["crash", 1_000, page, undefined],
  ]);
});

Deno.test("no report → ReportError that names what is missing", () => {
  const violation = { "csp-report": VIOLATION };
  const bad: [Format, unknown, RegExp][] = [
    ["csp-report", "csp-report", /no object/],
    ["csp-report", { "csp-report": null }, /no object/],
    ["csp-report", [violation], /no object/],
    ["csp-report", { "csp-report": {} }, /no effective directive/],
    ["csp-report", { "csp-report": { "effective-directive": "img-src" } }, /no address/],
    ["reports+json", violation, /no array/],
    ["reports+json", [null], /no body/],
    ["reports+json", [{ type: "crash", body: {} }], /no address/],
    ["reports+json", [{ type: "deprecation", url: "https://a.example/", body: {} }], /no message/],
  ];
  for (const [format, value, message] of bad) {
    assert.throws(
      () => read(format, value),
      (error) => error instanceof ReportError && message.test(error.message),
      JSON.stringify(value),
    );
  }
  for (const text of ["", "{", "\0", "[".repeat(200_000)]) {
    assert.throws(() => readReports("reports+json", new TextEncoder().encode(text)), ReportError);
  }
});

/** Must never be passed on. */
const CANARY = "canary-7f";
const hidden = fc.constantFrom(
  `https://shop.example/a?${CANARY}`,
  `https://shop.example/#${CANARY}`,
  `https://${CANARY}@shop.example/`,
  `https://a:${CANARY}@shop.example/b?c`,
  `data:text/plain,${CANARY}`,
  `blob:https://shop.example/${CANARY}`,
  `see https://${CANARY}:b@a.example/b?${CANARY}#${CANARY} for more`,
  `/path?${CANARY}`,
);
/** A value for any field: of the right kind, of the wrong kind, or with a canary. */
const value = fc.oneof(
  hidden,
  fc.webUrl(),
  fc.string(),
  fc.integer(),
  fc.double(),
  fc.constantFrom("inline", "eval", "img-src", "report", null, true),
  fc.jsonValue(),
);
const NAMES = [
  ...Object.keys(VIOLATION),
  ...["documentURL", "blockedURL", "effectiveDirective", "sourceFile", "sample", "lineNumber"],
  ...["id", "message", "reason", "columnNumber", "url", "age"],
];
const fields = fc.oneof(
  fc.dictionary(fc.constantFrom(...NAMES), value, { maxKeys: 12 }),
  fc.dictionary(fc.constantFrom(...NAMES), value, { maxKeys: 12 })
    .map((some) => ({ ...VIOLATION, ...some })),
);
const body = fc.tuple(fields, fc.dictionary(fc.string(), fc.constant(CANARY), { maxKeys: 3 }))
  .map(([known, unknown]) => ({ ...unknown, ...known }));
const report = fc.record({
  type: fc.constantFrom("csp-violation", "deprecation", "intervention", "crash", "x"),
  age: value,
  url: fc.oneof({ weight: 4, arbitrary: hidden }, value),
  user_agent: fc.constant(CANARY),
  body: fc.oneof({ weight: 6, arbitrary: body }, value),
});

Deno.test("object without a text as a directive → ReportError", () => {
  const sent = { "csp-report": { ...VIOLATION, "effective-directive": { toString: {} } } };
  delete (sent["csp-report"] as Record<string, unknown>)["violated-directive"];
  assert.throws(() => read("csp-report", sent), ReportError);
});

Deno.test("any body → reports with known fields and no query, or a ReportError", () => {
  const allowed = /^(?:[a-z]+-)*[a-z]+$|^code\.(?:file\.path|(?:line|column)\.number)$/;
  let taken = 0;
  fc.assert(
    fc.property(
      fc.oneof(
        fc.tuple(fc.constant<Format>("csp-report"), body.map((one) => ({ "csp-report": one }))),
        fc.tuple(fc.constant<Format>("reports+json"), fc.array(report, { maxLength: 3 })),
        fc.tuple(fc.constantFrom<Format>("csp-report", "reports+json"), fc.jsonValue()),
      ),
      ([format, sent]) => {
        let reports;
        try {
          reports = read(format, sent);
        } catch (error) {
          assert.ok(error instanceof ReportError, String(error));
          return;
        }
        for (const one of reports) {
          taken++;
          const kept = one.type === "csp-violation" ? one.violation : one.attributes;
          assert.ok(Object.keys(kept).every((name) => allowed.test(name)), JSON.stringify(kept));
          const text = reportEnvelope(one, { dsn: "https://k@a.example/1" }, 1_795_000_000_000);
          assert.ok(!text.includes(CANARY), text);
          assert.ok(text.length < 8_000, text);
          assert.equal(text.split("\n").length, 3);
        }
      },
    ),
    { numRuns: 3_000 },
  );
  assert.ok(taken > 200, `${taken} reports were checked`);
});
