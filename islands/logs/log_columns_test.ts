import assert from "node:assert/strict";
import { logRow } from "../testdata/rows.ts";
import { listAttributes, summarizeLog } from "./log_columns.tsx";

const named = (attributes: Record<string, string | number | boolean>) =>
  listAttributes(logRow({ attributes })).map(([name, value]) => `${name}=${value}`);

Deno.test("row of a log → message in one line, attributes of the log alone", () => {
  const body = "first\n\tsecond\u2028third";
  const attributes = { "sentry.release": "r", "browser.name": "Chrome", made_by: "signals", n: 3 };
  const short = summarizeLog(logRow({ body, attributes }));
  assert.equal(short.message, "first second third");
  assert.deepEqual(short.attributes, [["made_by", "signals"], ["n", 3]]);
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
