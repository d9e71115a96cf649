import assert from "node:assert/strict";
import fc from "fast-check";
import { envelopeOf, recorded } from "../../inbox/testdata/envelopes.ts";
import { indexBody } from "../index/index_entries.ts";
import { readApplication } from "../application.ts";
import { parseEnvelope } from "../parsed_envelope.ts";
import { errorAsText } from "./error_as_text.ts";
import { errorEntry } from "./error_entry.ts";
import { describeEvent, readErrorEvent, UnreadableEventError } from "./error_event.ts";

Deno.test("recorded error of a page → all parts", () => {
  const event = readErrorEvent(recorded("event"));
  assert.equal(event.event_id, "3000892398844746a1dfff4faa3459e0");
  assert.equal(event.title, "Error");
  assert.equal(event.value, "Cannot place the order: the basket is empty");
  assert.equal(event.at, 1795233255202);
  assert.deepEqual([event.level, event.handled, event.mechanism], ["error", true, "generic"]);
  assert.equal(event.trace_id, "59536e01ba9a4144800b88e6970a728a");
  assert.equal(event.replay_id, "5eb3598873784e9388474ced40850656");
  const offsets = event.breadcrumbs.shown.map(({ offset }) => Math.round(offset ?? NaN));
  assert.deepEqual(offsets, [-8, -2]);
  assert.deepEqual(Object.fromEntries(event.facts), {
    release: "recorded@1.0.0",
    environment: "recording",
    address: "http://page.localhost/#static",
    platform: "javascript",
    SDK: "sentry.javascript.browser 10.75.2",
  });
  assert.ok(event.contexts.some(({ name }) => name === "culture"));
});

Deno.test("recorded violation of a policy → what was blocked, where, and its fields", () => {
  const event = readErrorEvent(recorded("raw_security"), "0123456789abcdef0123456789abcdef");
  assert.equal(event.title, "Blocked by the page's policy");
  assert.equal(event.value, "script-src-elem inline");
  assert.equal(event.url, "http://page.localhost/");
  assert.equal(event.event_id, "0123456789abcdef0123456789abcdef");
  assert.deepEqual(event.mechanism, "csp");
  assert.ok(event.tags.shown.some(([name]) => name === "original-policy"));
});

Deno.test("error without a type or a message → named alike in lists, its detail and as text", () => {
  const exceptions = [{}, { type: " ", value: "  " }, { type: 7, value: 42 }, { value: null }];
  const events = exceptions.map((one) => ({ exception: { values: [one] } }));
  const messages = [{}, { message: " " }, { message: "full" }];
  for (
    const event of messages.flatMap((
      message,
    ) => [message, ...events.map((one) => ({ ...one, ...message }))])
  ) {
    const [entry, shown] = [errorEntry(event, 0), describeEvent(event)];
    const name = [entry.type, entry.value];
    assert.deepEqual([shown.title, shown.value], name, JSON.stringify(event));
    assert.ok(name.join("").trim() === name.join("") && entry.type !== "");
    assert.match(errorAsText(shown), /^\S/);
  }
});

Deno.test("no error, broken envelope, invalid JSON or too large → error for display", () => {
  const text = (value: string) => new TextEncoder().encode(value);
  const refused: readonly (readonly [RegExp, Uint8Array])[] = [
    [/no error/, recorded("transaction")],
    [/broken/, text('{}\n{"type":"event","length":99}\n{}')],
    [/not valid JSON/, envelopeOf({}, ["event", text("{nope")])],
    [/too large/, envelopeOf({}, ["event", new Uint8Array(17 * 1024 * 1024)])],
  ];
  for (const [message, bytes] of refused) {
    const isExpected = (error: unknown) =>
      error instanceof UnreadableEventError && message.test(error.message);
    assert.throws(() => readErrorEvent(bytes), isExpected, String(message));
  }
});

Deno.test("violation → of the release and environment that its item's header has", () => {
  const header = { type: "raw_security", sentry_release: "csp@1", sentry_environment: "staging" };
  const report = { "csp-report": { "effective-directive": "img" } };
  const bytes = envelopeOf({}, [header as never, report]);
  const { environment, release } = readApplication(parseEnvelope(bytes));
  assert.deepEqual([environment, release], ["staging", "csp@1"]);
  assert.deepEqual(readErrorEvent(bytes).facts.slice(0, 2), [
    ["release", "csp@1"],
    ["environment", "staging"],
  ]);
});

Deno.test("several events in one envelope, one invalid → the one with the event id", () => {
  const id = "a".repeat(32);
  const second = ["event", { event_id: id, message: "second" }] as const;
  const bytes = envelopeOf({}, ["event", { message: "first" }], second);
  assert.equal(readErrorEvent(bytes).value, "first");
  assert.equal(readErrorEvent(bytes, id).value, "second");
  assert.equal(readErrorEvent(bytes, "b".repeat(32)).value, "first");
  // Without ids, too.
  const report = (blocked: string) =>
    ["raw_security", {
      "csp-report": { "blocked-uri": blocked, "effective-directive": "img" },
    }] as const;
  const unnamed = envelopeOf(
    {},
    ["event", { message: "first" }],
    ["event", { message: "other" }],
    report("a"),
    report("b"),
  );
  const errors = indexBody([parseEnvelope(unnamed)], 1).resources.flatMap(({ errors }) => errors);
  assert.deepEqual(
    errors.map(({ event_id }) => readErrorEvent(unnamed, event_id).value),
    errors.map(({ value }) => value),
  );
  assert.equal(new Set(errors.map(({ event_id }) => event_id)).size, 4);
  const damaged = envelopeOf({}, ["event", new TextEncoder().encode("{nope")], second);
  assert.equal(readErrorEvent(damaged, id).value, "second");
  assert.throws(() => readErrorEvent(damaged), UnreadableEventError);
});

Deno.test("message without exception, in all forms of SDKs → read", () => {
  const values = [
    { message: "m" },
    { message: { formatted: "m", message: "%s" } },
    { logentry: { formatted: "m", message: "%s", params: ["m"] } },
    { logentry: { message: "m" } },
    // Of Python's SDK.
    { logentry: { message: "%s", params: ["m"] } },
    { logentry: { message: "%d of %s is {}, %s", params: [7, { a: 1 }, true] } },
  ].map((event) => describeEvent(event).value);
  assert.deepEqual(values, ["m", "m", "m", "m", "m", '7 of {"a":1} is true, %s']);
  const { stack } = describeEvent({
    message: "m",
    threads: { values: [{}, { current: true, stacktrace: { frames: [{ function: "main" }] } }] },
  });
  assert.equal(stack.shown[0]?.function, "main");
});

Deno.test("exception with module → type with its package", () => {
  const java = { exception: { values: [{ type: "IllegalStateException", module: "java.lang" }] } };
  assert.equal(describeEvent(java).title, "java.lang.IllegalStateException");
});

Deno.test("any event → bounded description", () => {
  const words = "exception values type value mechanism stacktrace frames filename lineno " +
    "breadcrumbs timestamp tags contexts trace request user message logentry debug_meta images " +
    "threads sdk level extra __proto__ length";
  const names = fc.constantFrom(...words.split(" "));
  const { node } = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom<unknown>(null, NaN, "", "text", "<script>", -1, 1e300, true),
      fc.array(tie("node"), { maxLength: 3 }),
      fc.array(fc.tuple(names, tie("node")), { maxLength: 4 })
        .map((members) => Object.fromEntries(members)),
    ),
  }));
  fc.assert(fc.property(fc.dictionary(names, node), (event) => {
    const read = describeEvent(event);
    assert.equal(typeof read.title, "string");
    assert.equal(typeof read.value, "string");
  }));
});

Deno.test("huge fields and deep nesting → read within a second", () => {
  const long = "<img src=x onerror=alert(1)>".repeat(40_000);
  const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
  const json = `{"message":${JSON.stringify(long)},"level":${deep},"extra":{"a":${deep}},` +
    `"exception":{"values":[{"type":${JSON.stringify(long)},"value":${deep}}]}}`;
  const event = readErrorEvent(envelopeOf({}, ["event", new TextEncoder().encode(json)]));
  assert.equal(event.title, long);
  assert.equal(event.level, "error");
  assert.match(event.contexts[0]?.entries.shown[0]?.[1] ?? "", /…/);
});
