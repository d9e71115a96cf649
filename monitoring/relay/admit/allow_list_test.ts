import assert from "node:assert/strict";
import fc from "fast-check";
import { parseDsn } from "../../protocol/dsn.ts";
import { AllowList } from "./allow_list.ts";
import { RelayError } from "../errors.ts";

const dsns = [
  "https://publickey@o1.ingest.us.sentry.io/42",
  "https://publickey@o1.ingest.sentry.io/42",
  "http://key@sentry.example:9000/path/7",
].map((text) => parseDsn(text)!);
const allowList = new AllowList(dsns);

function match(dsn: unknown, query = "") {
  try {
    return allowList.match({ dsn }, `http://localhost/monitoring${query}`);
  } catch (error) {
    if (error instanceof RelayError) return error.code;
    throw error;
  }
}

Deno.test("any difference but the case of protocol and host → dsn_not_allowed", () => {
  const edit = fc.record({
    at: fc.nat(),
    remove: fc.nat(1),
    insert: fc.oneof(fc.string({ maxLength: 2 }), fc.string({ unit: "binary", maxLength: 1 })),
    flip: fc.boolean(),
  });
  const nearly = fc.tuple(fc.constantFrom(...dsns.map((dsn) => dsn.text)), edit).map(
    ([text, { at, remove, insert, flip }]) => {
      const place = at % text.length;
      const middle = flip ? text.charAt(place).toUpperCase() : insert;
      return text.slice(0, place) + middle + text.slice(place + (flip ? 1 : remove));
    },
  );
  fc.assert(
    fc.property(fc.oneof(nearly, fc.jsonValue().filter((value) => value !== null)), (named) => {
      const found = match(named);
      if (typeof found === "string") return assert.equal(found, "dsn_not_allowed");
      const text = String(named);
      assert.equal(text.toLowerCase(), found.text.toLowerCase());
      assert.ok(text.includes(`//${found.publicKey}@`));
      assert.ok(text.endsWith(`${found.path}/${found.projectId}`));
    }),
    { numRuns: 2000 },
  );
});

Deno.test("any text in the query → never another host than that of an allowed DSN", () => {
  const part = fc.oneof(
    fc.string({ maxLength: 6 }),
    fc.constantFrom("1", "42", "us", "2", "de", "us.evil", "1@evil", "%2e", "us%00", "１"),
  );
  const query = fc.array(fc.tuple(fc.constantFrom("o", "p", "r", "x"), part), { maxLength: 5 });
  fc.assert(
    fc.property(query, (pairs) => {
      const text = `?${pairs.map((pair) => pair.join("=")).join("&")}`;
      const alone = match(undefined, text);
      const both = match(dsns[0]?.text, text);
      if (typeof both === "string") return assert.equal(both, "dsn_not_allowed");
      assert.equal(both, dsns[0]);
      assert.ok(alone === "dsn_missing" || alone === dsns[0]);
    }),
    { numRuns: 2000 },
  );
});
