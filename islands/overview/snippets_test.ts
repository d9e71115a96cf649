import assert from "node:assert/strict";
import { inboxAddress, SNIPPETS, snippetsAt } from "./snippets.ts";

const DSNS = [
  ["on this machine, by address", "http://127.0.0.1:8000/#/", "http://inbox@127.0.0.1:8000/1"],
  ["on this machine, by name", "http://localhost:1234/", "http://inbox@localhost:1234/1"],
  ["on this machine, by IPv6", "http://[::1]:8000/", "http://inbox@[::1]:8000/1"],
  ["elsewhere, by address", "http://192.168.1.20:8000/", "http://inbox@192.168.1.20:8000/1"],
  ["elsewhere, by name", "https://glass.example/?x#/", "https://inbox@glass.example/1"],
] as const;
for (const [where, address, dsn] of DSNS) {
  Deno.test(`page opened ${where} → DSN with its host, and the key that is accepted from there`, () =>
    assert.equal(inboxAddress(new URL(address)).dsn, dsn));
}

Deno.test("snippet for browsers → the same in the README", async () => {
  const readme = await Deno.readTextFile(new URL("../../README.md", import.meta.url));
  const { code } = SNIPPETS.find(({ name }) => name === "Browser")!;
  const [, init = ""] = code(inboxAddress(new URL("http://127.0.0.1:8000/"))).split("\n\n");
  for (const option of ["release", "tracePropagationTargets", "replayIntegration", "enableLogs"]) {
    assert.ok(init.includes(option), option);
  }
  assert.ok(readme.includes(init.split("Sentry.captureMessage")[0]!), "README.md has another");
});

Deno.test("snippets of Sentry SDKs → have the release that names the application", () => {
  const at = inboxAddress(new URL("http://127.0.0.1:8000/"));
  for (const name of ["Browser", "Node", "Deno", "Python"]) {
    const { code } = SNIPPETS.find((snippet) => snippet.name === name)!;
    assert.match(code(at), /release(: |=)"my-app@1\.0\.0"/, name);
  }
});

Deno.test("page opened elsewhere → no snippet that sends no DSN, which the server refuses there", () => {
  const namesAt = (address: string) =>
    snippetsAt(inboxAddress(new URL(address))).map(({ name }) => name);
  assert.deepEqual(namesAt("http://localhost:8000/"), SNIPPETS.map(({ name }) => name));
  assert.deepEqual(
    namesAt("https://glass.example/"),
    SNIPPETS.map(({ name }) => name).filter((name) => name !== "SENTRY_SPOTLIGHT"),
  );
});
