import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { loadConfig } from "../../config.ts";
import { parsePostgresUrl } from "../../monitoring/storage/postgres_address.ts";
import { serverPermissions } from "../../tools/run/permissions.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SCRIPT = fileURLToPath(new URL("_child.ts", import.meta.url));

export interface Child {
  readonly process: Deno.ChildProcess;
  /** Its output line by line. */
  readonly lines: AsyncIterable<string>;
}

/**
 * Starts `_child.ts` with the permissions of the server.
 *
 * @param file of the spool, or a `DATABASE_URL`
 */
export function startChild(task: string, file: string): Child {
  const env = parsePostgresUrl(file)
    ? { DATABASE_URL: file, DATA_DIR: "/nonexistent" }
    : { DATA_DIR: dirname(file) };
  const permissions = serverPermissions(loadConfig(env), { root: ROOT, cwd: "/" });
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", ...permissions, SCRIPT, task, file],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  return { process, lines: linesOf(process.stdout) };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

/** All lines that it prints until it ends. */
export async function readAll({ lines }: Child): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}
