import assert from "node:assert/strict";
import { parsePostgresUrl } from "./postgres_address.ts";

Deno.test("URL → host, port, user, password and database, decoded", () => {
  assert.deepEqual(parsePostgresUrl("postgres://us%40er:p%3Ass%2F@db.example:6432/na%20me"), {
    host: "db.example",
    port: 6432,
    user: "us@er",
    password: "p:ss/",
    database: "na me",
    tls: "full",
    caFile: undefined,
  });
  const bare = parsePostgresUrl("postgresql://user@[2001:db8::1]?pgbouncer=true");
  assert.deepEqual([bare?.host, bare?.port, bare?.database], ["2001:db8::1", 5432, "user"]);
});

Deno.test("sslmode → TLS is verified unless the URL states otherwise", () => {
  const tls = (parameters: string, host = "db.example") =>
    parsePostgresUrl(`postgres://u:p@${host}/d${parameters}`)?.tls;
  assert.equal(tls(""), "full");
  assert.equal(tls("?sslmode=require"), "full");
  assert.equal(tls("?sslmode=verify-full"), "full");
  assert.equal(tls("?sslmode=verify-ca"), "ca");
  assert.equal(tls("?sslmode=no-verify"), "unverified");
  assert.equal(tls("?sslmode=disable"), "none");
  for (const host of ["localhost", "127.0.0.1", "[::1]"]) assert.equal(tls("", host), "none");
  assert.equal(tls("?sslmode=require", "localhost"), "full");
  assert.equal(tls("?sslrootcert=ca.crt", "localhost"), "full");
});

Deno.test("no such URL, or one that allows a silent fallback to plain text → undefined", () => {
  for (
    const text of [
      "",
      "mysql://u:p@h/d",
      "postgres:///d?host=/run/postgresql",
      "postgres://h/d",
      "postgres://u:p@h1,h2/d",
      "postgres://u:%zz@h/d",
      "postgres://u:p@h/d/e",
      "postgres://u:p@h/d?sslmode=prefer",
      "postgres://u:p@h/d?sslmode=allow",
      "postgres://u:p@h/d?sslrootcert=a,b",
    ]
  ) {
    assert.equal(parsePostgresUrl(text), undefined, text);
  }
});
