import assert from "node:assert/strict";
import fc from "fast-check";
import { frameLabel, groupKeys, type MapOf, messageShape, topFrame } from "./error_group.ts";

const frame = (file: string | null, name: string | null = "place") => ({ function: name, file });
const keys = (identity: Partial<Parameters<typeof groupKeys>[0]>) =>
  groupKeys({ type: "Error", message: "", frame: null, fingerprint: [], ...identity });
const key = (identity: Parameters<typeof keys>[0]) => keys(identity).group;

/** Messages with the same shape, one pair per line; the properties below have other kinds of values. */
const ALIKE = [
  ["no property 'x' of null", "no property 'price' of null"],
  ["GET http://a.test/orders/17?page=2 failed", "GET http://a.test/orders/9 failed"],
  ["too  many\n spaces", "too many spaces"],
  ["Cannot open C:\\Users\\ann\\a.txt", "Cannot open D:\\b.txt"],
  ["no module ./shop/cart.ts", "no module ../basket.ts"],
  ["at Sat Nov 22 2026 16:39:10 GMT+0000", "at Sun Dec 6 2026 09:01:00 GMT+0100"],
  ["since 11/22/2026, 4:39:10 PM", "since 1/2/2026, 11:00:00 AM"],
  ["session V1StGXR8_Z5jdHi6B-myT ended", "session 3Fk-q9Lm2_Xy7Abcd0Ef8 ended"],
  ["no key ‘price’ in „cart“", "no key ‘name’ in „basket“"],
] as const;

for (const [a, b] of ALIKE) {
  Deno.test(`one shape: ${JSON.stringify(a)}`, () =>
    assert.equal(messageShape(a), messageShape(b)));
}

Deno.test("different messages → different shapes", () => {
  const messages = [
    "Order 17 failed",
    "Payment 17 failed",
    "I can't and you don't",
    "I can't and you won't",
    "GET http://a.test/orders failed",
    "GET http://a.test/baskets failed",
    "at page.js:25:204",
    "at other.js:25:204",
    "Declined 5 orders",
    "Marked 5 orders",
    "Unexpected closing tag </div>",
    "Unexpected closing tag </span>",
    "TCP/IP failed",
    "UDP/IP failed",
  ];
  assert.equal(new Set(messages.map(messageShape)).size, messages.length);
});

const letters = fc.stringMatching(/^[a-z]{1,8}$/);
const hex = (length: number) =>
  fc.array(fc.constantFrom(..."0123456789abcdef"), { minLength: length, maxLength: length })
    .map((digits) => digits.join(""));
const time = fc.date({
  min: new Date("1971-01-01"),
  max: new Date("2099-01-01"),
  noInvalidDate: true,
});
const segment = fc.stringMatching(/^[\w-]{1,9}$/);

/** Values of each kind that do not split groups. */
const VALUES: Readonly<Record<string, fc.Arbitrary<string>>> = {
  "whole number": fc.integer().map(String),
  "fraction": fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one.toFixed(3)),
  "UUID": fc.uuid(),
  "hex string": fc.integer({ min: 8, max: 64 }).chain(hex),
  "address in memory": hex(12).map((one) => `0x${one}`),
  "id": fc.stringMatching(/^[a-z]{0,5}_?\d[a-z\d]{0,9}$/),
  "path": fc.array(segment, { minLength: 1, maxLength: 5 }).map((all) => `/${all.join("/")}`),
  "file": fc.array(segment, { minLength: 1, maxLength: 4 }).map((all) => `src/${all.join("/")}.ts`),
  "ISO 8601 time": time.map((one) => one.toISOString()),
  "HTTP date": time.map((one) => one.toUTCString()),
  "e-mail address": fc.tuple(letters, letters, letters).map(([a, b, c]) =>
    `${a}.${b}@${c}.example`
  ),
  "quoted value": fc.string({ maxLength: 300 }).map((text) => `"${text.replace(/["\n]/g, "")}"`),
};
const text = fc.array(letters, { minLength: 1, maxLength: 5 }).map((words) => words.join(" "))
  // Also a word of the letters a to f alone, which could be hex.
  .filter((text) => !/[a-f]{8}/.test(text));

for (const [kind, value] of Object.entries(VALUES)) {
  Deno.test(`messages that differ only in a ${kind} → one group`, () => {
    fc.assert(fc.property(text, value, value, text, (before, one, other, after) => {
      const shape = messageShape(`${before} ${one} ${after}`);
      assert.equal(messageShape(`${before} ${other} ${after}`), shape);
      assert.equal(messageShape(`${before}: ${other}`), messageShape(`${before}: ${one}`));
      assert.ok(shape.startsWith(before) && shape.endsWith(after), shape);
    }));
  });
}

Deno.test("messages with other words → other groups, whatever values are in them", () => {
  const values = fc.oneof(...Object.values(VALUES));
  fc.assert(fc.property(text, text, values, values, (one, other, a, b) => {
    fc.pre(one !== other);
    assert.notEqual(messageShape(`${one} ${a}`), messageShape(`${other} ${b}`));
  }));
});

Deno.test("any message → shape in linear time", () => {
  for (const part of ["/", "'", '"', "a-", "#", "0-", "5", "//?", "\u{1f600}"]) {
    const begun = performance.now();
    assert.ok(messageShape(part.repeat(500_000)).length <= 500);
    assert.ok(performance.now() - begun < 1_000, part);
  }
});

Deno.test("different type, message shape or frame → different group", () => {
  const all = [
    key({ message: "a" }),
    key({ message: "a", type: "TypeError" }),
    key({ message: "b" }),
    key({ message: "a", frame: frame("/page.js") }),
    key({ message: "a", frame: frame("/other.js") }),
    key({ message: "a", frame: frame("/page.js", "pay") }),
  ];
  assert.equal(new Set(all).size, all.length);
  for (const each of all) assert.match(each, /^[\da-f]{14}$/);
  assert.equal(key({ message: "order 1" }), key({ message: "order 2" }));
});

/** The first message of each line has another method or route than the others. */
const ROUTES = [
  ["POST /api/assistant answered 500", "POST /api/checkout answered 500"],
  ["POST /api/orders/17/items answered 500", "POST /api/orders/9/items answered 404"],
  ["GET /api/orders/17 answered 500", "POST /api/orders/17 answered 500"],
  ["GET https://a.test/users/7?page=2 failed", "GET http://localhost:8000/users/9 failed"],
  ['[GET] "/api/cart": 500 "x"', '[GET] "/api/cart": 502 "y"'],
  ["Cannot GET /files/c0ffee12-aaaa-4bbb-8ccc-0123456789ab", "Cannot GET /files/deadbeefcafe"],
  ["Route GET:/v1/cart not found", "Route GET:/v2/cart not found"],
] as const;

Deno.test("method and route in a message → in the group; ids, numbers, hosts, queries → not", () => {
  const groups = ROUTES.map((messages) => messages.map((message) => key({ message })));
  const isOne = groups.map(([a, b]) => a === b);
  assert.deepEqual(isOne, [false, true, false, true, true, true, false]);
  assert.equal(new Set(groups.flat()).size, 10);
});

Deno.test("message without a method → key as in earlier versions; with one → also the former", () => {
  for (
    const message of ["", "Order 17 failed", "ENOENT: /home/ann/a.txt", "http://a.test/b/1 failed"]
  ) {
    const { group, former } = keys({ message });
    assert.equal(group, former, message);
  }
  const [a, b] = ROUTES[0].map((message) => keys({ message }));
  assert.equal(a!.former, b!.former);
  assert.ok(![a!.group, b!.group].includes(a!.former));
});

Deno.test("new content hash in a file name → same group", () => {
  const builds = [
    ["http://a.test/assets/0F3A9B2C1D.js", "https://b.test:8000/assets/9E8D7C6B5A.js"],
    ["/assets/checkout-BkX3_a9q.js", "/assets/checkout-Zq81Lm2p.js"],
    ["/static/main.8f3ac9e1.js?v=1", "/static/main.77aa10bc.js?v=2"],
    ["/chunk-ABCDEFGH.js", "/chunk-QWERTZUI.js"],
  ] as const;
  for (const [before, after] of builds) {
    assert.equal(key({ frame: frame(before) }), key({ frame: frame(after) }), before);
    // There a minifier has given other names, too.
    assert.equal(key({ frame: frame(before, "a") }), key({ frame: frame(after, "kb") }), before);
  }
  assert.notEqual(key({ frame: frame("/checkout.js") }), key({ frame: frame("/settings.js") }));
});

Deno.test("function name made by a minifier → ignored in the group", () => {
  const built = (name: string, hash = "0F3A9B2C1D") =>
    key({ frame: frame(`/assets/${hash}.js`, name) });
  const renamed = {
    "async a": "async Kb",
    "new t": "new xQa",
    "$a1": "_b2",
    "e.pay": "tt.pay",
    "Object.a [as onClick]": "Object.Qe [as onClick]",
    "Module.t": "Module.nr",
  };
  for (const [before, after] of Object.entries(renamed)) {
    assert.equal(built(before), built(after, "9E8D7C6B5A"), `${before}, ${after}`);
  }
  assert.notEqual(built("e.pay"), built("e.add"));
  assert.notEqual(built("Object.a [as onClick]"), built("Object.a [as onInput]"));
  assert.notEqual(key({ frame: frame("/shop.py", "a") }), key({ frame: frame("/shop.py", "b") }));
});

Deno.test("source frame, line changed → same group", () => {
  const inSource = (line: number, name: string | null = "pay", file = "shop/order12AbCd.ts") =>
    key({ frame: { function: name, file, line } });
  assert.equal(inSource(3), inSource(30));
  assert.notEqual(inSource(3), inSource(3, "add"));
  assert.notEqual(inSource(3, null), inSource(3, null, "shop/order34EfGh.ts"));
  assert.equal(frameLabel({ function: "pay", file: "shop/a.ts", line: 3 }), "pay (shop/a.ts:3)");
});

Deno.test("frames of engine or packages → used only without application frames", () => {
  const mapOf: MapOf = (file) =>
    file.endsWith("0F3A9B2C.js")
      ? {
        positionOf: ({ line }) => ({
          file: line === 1 ? "node_modules/react/a.js" : "shop/a.ts",
          line: line!,
          column: 1,
          own: line !== 1,
          text: null,
        }),
        functionOf: () => "named",
      }
      : undefined;
  const built = (lineno: number) => ({ function: "t", filename: "/0F3A9B2C.js", lineno, colno: 1 });
  const native = { function: "JSON.parse", filename: "<anonymous>" };
  const top = (...frames: unknown[]) => topFrame({ stacktrace: { frames } }, mapOf);
  const own = { function: "named", file: "shop/a.ts", line: 7 };
  assert.deepEqual(
    top({ function: "main", filename: "/main.js" }, built(7), built(1), native),
    own,
  );
  assert.deepEqual(top(built(1), native), { function: "JSON.parse", file: "<anonymous>" });
  assert.deepEqual(top(native, built(1)), {
    function: "named",
    file: "node_modules/react/a.js",
    line: 1,
  });
  assert.deepEqual(top(built(7), { function: "t", filename: "/other.js" }), {
    function: "t",
    file: "/other.js",
  });
});

Deno.test("fingerprint → replaces the group; {{ default }} → adds to it", () => {
  const mine = key({ fingerprint: ["payments"] });
  assert.equal(mine, key({ fingerprint: ["payments"], type: "TypeError", message: "x" }));
  assert.notEqual(mine, key({ fingerprint: ["baskets"] }));
  assert.equal(key({ fingerprint: ["{{ default }}"], message: "a 1" }), key({ message: "a 2" }));
  assert.notEqual(
    key({ fingerprint: ["{{ default }}", "x"], message: "a" }),
    key({ fingerprint: ["{{ default }}", "x"], message: "b" }),
  );
  key({ fingerprint: [null, {}, [], 5, true, "x".repeat(1e6)] });
});

Deno.test("top frame → innermost application frame with a name or file", () => {
  const frames = [
    { function: "main", filename: "/main.js" },
    { function: "place", filename: "http://a.test/order.js?x=1" },
    { function: "?", filename: "" },
    { function: "fetch", filename: "/vendor.js", in_app: false },
    5,
    null,
  ];
  const own = topFrame({ stacktrace: { frames } });
  assert.deepEqual(own, { function: "place", file: "http://a.test/order.js?x=1" });
  assert.equal(own && frameLabel(own), "place (/order.js)");
  assert.equal(topFrame({ stacktrace: { frames: [{ in_app: false, function: "f" }] } }), null);
  assert.equal(topFrame({ stacktrace: "no" }), null);
});
