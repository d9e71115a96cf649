import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { formatCount } from "../components/format.ts";
import { TOOL } from "../monitoring/protocol/commands.ts";
import { undefinedIfNotFound } from "../monitoring/protocol/if_found.ts";
import {
  httpOrigin,
  type InboxAddress,
  readArguments,
  requestInbox,
  UserError,
} from "./command_line.ts";
import { runSentryCli } from "./sentry_cli.ts";

const USAGE = `${TOOL} sourcemaps --to http://HOST:PORT [--token TOKEN] [--inject] FOLDER`;
const TASK = "upload source maps";

interface Upload extends InboxAddress {
  readonly folder: string;
  /** Write missing debug ids without asking. */
  readonly inject: boolean;
}

/**
 * Uploads the source maps of a build, of any application, by their debug ids. Where there are none, Sentry's tool
 * writes them into scripts and maps, with `--inject` or once the user agrees.
 */
export async function uploadToInbox(args: readonly string[]): Promise<number> {
  const upload = readUpload(args);
  const { folder, origin } = upload;
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UserError(`Cannot ${TASK}: there is no folder ${folder}.`);
  }
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.[cm]?js\.map$/.test(name) && !/\bnode_modules\b/.test(name)).sort();
  if (names.length === 0) {
    throw new UserError(`Cannot ${TASK}: ${folder} has no .js.map, .cjs.map or .mjs.map.`);
  }
  await addDebugIds(upload, names);
  const withoutId: string[] = [];
  for (const name of names) {
    const { debugId, map, script } = await readMap(join(folder, name));
    if (debugId === undefined) {
      withoutId.push(name);
      continue;
    }
    await requestInbox(`upload ${name}`, upload, `maps=${encodeURIComponent(debugId)}`, {
      method: "POST",
      body: JSON.stringify({ ...map, x_script: script }),
      headers: { "Content-Type": "application/json" },
    });
    console.log(`${name}  ${debugId}`);
  }
  const missing = `no debug id, by which errors find source maps: ${withoutId.join(", ")}. Add ` +
    "--inject: write ids into the maps and the scripts beside them, before these are compressed and served.";
  const uploaded = names.length - withoutId.length;
  if (uploaded === 0) throw new UserError(`Cannot ${TASK}: ${missing}`);
  if (withoutId.length > 0) console.error(`Not uploaded, ${missing}`);
  console.log(`Uploaded ${formatCount(uploaded, "source map")} to ${origin}.`);
  return 0;
}

/** @throws {UserError} */
function readUpload(args: readonly string[]): Upload {
  const { values: { to, token, inject }, positionals: [folder, ...others] } = readArguments(
    TASK,
    USAGE,
    {
      args: [...args],
      options: {
        to: { type: "string" },
        token: { type: "string" },
        inject: { type: "boolean", default: false },
      },
      allowPositionals: true,
    },
  );
  const origin = httpOrigin(to ?? "");
  if (folder === undefined || others.length > 0 || origin === undefined) {
    throw new UserError(`Cannot ${TASK}: give one folder, and an address with --to. Use: ${USAGE}`);
  }
  return { origin, token: token || Deno.env.get("INBOX_TOKEN") || undefined, folder, inject };
}

async function addDebugIds({ folder, inject }: Upload, names: readonly string[]): Promise<void> {
  const bare: string[] = [];
  // One at a time: a map may have 20 MiB.
  for (const name of names) {
    const { debugId, script } = await readMap(join(folder, name));
    if (debugId === undefined && script !== undefined) bare.push(name);
  }
  const question = `No debug id, by which errors find source maps: ${bare.join(", ")}. ` +
    "Write ids into the maps and the scripts beside them?";
  // `confirm` is false without a terminal.
  if (bare.length === 0 || !inject && !confirm(question)) return;
  await runSentryCli(folder, ["inject", ...bare.flatMap((name) => [scriptOf(name), name])]);
}

/** What bundlers and Sentry's tool write into scripts (https://github.com/tc39/ecma426, proposal), and Sentry's plugins. */
const DEBUG_ID = /^\/\/# debugId=([\da-f-]{36})\s*$|sentry-dbid-([\da-f-]{36})/im;

/** Reads a map, and the script beside it, which names the functions of minified frames. @throws {UserError} */
async function readMap(path: string) {
  const script = await Deno.readTextFile(scriptOf(path)).catch(undefinedIfNotFound);
  const [, ...inScript] = DEBUG_ID.exec(script ?? "") ?? [];
  try {
    const map = Object(JSON.parse(await Deno.readTextFile(path)));
    const id = map.debugId ?? map.debug_id ?? inScript.find(Boolean);
    return { map, script, debugId: typeof id === "string" ? id.toLowerCase() : undefined };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UserError(`Cannot ${TASK}: ${path} is not JSON.`);
  }
}

const scriptOf = (path: string) => path.slice(0, -".map".length);
