import assert from "node:assert/strict";
import { ConfigError } from "../../config.ts";
import { UserError } from "../command_line.ts";
import { readTailOptions } from "./tail_options.ts";

const read = (args: string[], env: Record<string, string> = {}) =>
  readTailOptions(args, (name) => env[name]);

Deno.test("no arguments → everything, from the configured server", () => {
  assert.deepEqual(read([]), {
    views: ["errors", "logs", "traces"],
    json: false,
    all: false,
    origin: "http://127.0.0.1:8000",
    token: undefined,
  });
  const origins: [Record<string, string>, string][] = [
    [{ PORT: "9000", HOST: "localhost" }, "http://localhost:9000"],
    [{ HOST: "0.0.0.0" }, "http://127.0.0.1:8000"],
    [{ HOST: "::" }, "http://[::1]:8000"],
    [{ HOST: "[::1]", PORT: "1" }, "http://[::1]:1"],
  ];
  for (const [env, origin] of origins) assert.equal(read([], env).origin, origin);
  assert.equal(read([], { INBOX_TOKEN: "s3cret" }).token, "s3cret");
});

Deno.test("arguments → views, JSON and address", () => {
  const options = read(["logs", "--json", "--all", "--url=https://glass.example/some/path"], {
    PORT: "1",
  });
  assert.deepEqual(options, {
    views: ["logs"],
    json: true,
    all: true,
    origin: "https://glass.example",
    token: undefined,
  });
  assert.deepEqual(read(["logs", "errors"]).views, ["errors", "logs"]);
});

Deno.test("unknown argument, address or variable → an error that names what is allowed", () => {
  for (const arg of ["--josn", "log", "--url=glass.example:80", "--url=ftp://glass.example"]) {
    assert.throws(() => read([arg]), (error: Error) => {
      assert.ok(error instanceof UserError);
      assert.match(error.message, /^Cannot tail: .* Use: deno task tail \[errors\|logs\|traces\]/);
      return true;
    });
  }
  assert.throws(() => read([], { PORT: "many" }), ConfigError);
});
