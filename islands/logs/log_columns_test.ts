import assert from "node:assert/strict";
import { logRow } from "../testdata/rows.ts";
import { errorsAsText, listAttributes, summarizeLog } from "./log_columns.tsx";

const named = (attributes: Record<string, string | number | boolean>) =>
  listAttributes(logRow({ attributes })).map(([name, value]) => `${name}=${value}`);

Deno.test("row of a log → message in one line, attributes of the log alone", () => {
  const body = "first\n\tsecond\u2028third";
  const attributes = { "sentry.release": "r", "browser.name": "Chrome", made_by: "signals", n: 3 };
  const many = Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`of_${n}`, n]));
  assert.equal(summarizeLog(logRow({ attributes: many })).others, 2);
  const own = ["user.plan", "server.region", "code.branch", "host.rack", "process.queue", "sentry"];
  const shown = Object.fromEntries([...own, "user.id", "server.address"].map((name) => [name, 1]));
  assert.equal(summarizeLog(logRow({ attributes: shown })).others, own.length - 3);
  const short = summarizeLog(logRow({ body, attributes }));
  assert.equal(short.message, "first second third");
  assert.deepEqual([short.attributes, short.others], [[["made_by", "signals"], ["n", 3]], 0]);
  const text = "x".repeat(2000);
  const long = summarizeLog(logRow({ body: text, attributes: { text } }));
  assert.match(long.message, /^x{400}…$/);
});

Deno.test("details of a log → all attributes by name, those of the SDK last", () => {
  assert.deepEqual(named({ "sentry.release": "r", zone: 1, "os.name": "Linux", able: true }), [
    "able=true",
    "zone=1",
    "os.name=Linux",
    "sentry.release=r",
  ]);
  // Names of an object's properties.
  const inherited = JSON.parse('{"__proto__": "a", "constructor": "b"}');
  assert.deepEqual(named(inherited), ["__proto__=a", "constructor=b"]);
});

Deno.test("errors in a message, as JSON → their text, and the stack on request; anything else stays", () => {
  const stack = 'TypeError: no "x"\n    at run (a.js:1:2)';
  const json = (more = {}) =>
    JSON.stringify({ message: 'no "x"', name: "TypeError", stack, ...more });
  assert.equal(errorsAsText(`failed ${json()} twice`), 'failed TypeError: no "x" twice');
  assert.equal(errorsAsText(json(), true), stack);
  assert.equal(errorsAsText(json({ status: 500 })), 'TypeError: no "x" {"status":500}');
  for (let cut = json().indexOf("run"); cut < json().length; cut++) {
    assert.equal(errorsAsText(`${json().slice(0, cut)}…`), 'TypeError: no "x"', `${cut}`);
  }
  for (
    const other of ['{"message":"a"}', '{"message":1,"name":"b"}', '{"message":"\\q","name":"b"}']
  ) {
    assert.equal(errorsAsText(other, true), other);
  }
});
