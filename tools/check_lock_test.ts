import assert from "node:assert/strict";
import { judgeLock, judgeVersions } from "./check_lock.ts";

const imports = (map: Record<string, string>) => JSON.stringify({ imports: map });

Deno.test("a lock of names and hashes is right", () => {
  assert.deepEqual(
    judgeLock('{\n  "npm": {\n    "react@19.3.1": { "integrity": "sha512-x==" }\n}}'),
    [],
  );
});

Deno.test("an address or a tarball in the lock is named with its line", () => {
  const offences = judgeLock('{\n  "a": "http://mirror.example/a.tgz",\n  "tarball": "x"\n}');
  assert.equal(offences.length, 2);
  assert.match(offences[0] ?? "", /^deno\.lock:2 holds an address/);
  assert.match(offences[1] ?? "", /^deno\.lock:3 /);
});

Deno.test("exact versions are right, with a path, a scope, a pre-release, and folders", () => {
  const text = imports({
    "react": "npm:react@19.3.1",
    "react/jsx-runtime": "npm:react@19.3.1/jsx-runtime",
    "@sentry/core": "npm:@sentry/core@10.75.2",
    "next": "npm:next@1.0.0-rc.1",
    "@/": "./",
  });
  assert.deepEqual(judgeVersions(text), []);
});

for (
  const target of [
    "npm:react",
    "npm:react@^19.3.1",
    "npm:react@~19.3.1",
    "npm:react@19",
    "npm:react@19.3",
    "npm:react@latest",
    "npm:react@*",
    "npm:react@19.3.1 || 18.0.0",
    "https://example.com/react@19.3.1",
  ]
) {
  Deno.test(`not an exact version: ${target}`, () => {
    const offences = judgeVersions(imports({ react: target }));
    assert.equal(offences.length, 1);
    assert.ok(offences[0]?.includes(`"${target}"`), offences[0]);
  });
}

Deno.test("one package in two versions is refused", () => {
  const text = imports({
    "react": "npm:react@19.3.1",
    "react/jsx-runtime": "npm:react@19.3.0/jsx-runtime",
  });
  assert.match(judgeVersions(text)[0] ?? "", /npm:react as 19\.3\.1 and 19\.3\.0/);
});
