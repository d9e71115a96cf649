import { join, relative } from "node:path";
import { ifFound, undefinedIfNotFound } from "../../server/if_found.ts";
import { readArguments, UserError } from "../command_line.ts";
import { injectDebugId, type SourceMap } from "./inject.ts";

const USAGE = "deno task sourcemaps --to http://HOST:PORT [--token TOKEN] [--inject] FOLDER";

/** Files named in one message. */
const MAX_NAMES = 5;
const WRITE_IDS = "Write ids into the maps and the scripts beside them";

/** What to upload, and where to. */
interface Upload {
  /** `http://HOST:PORT` of the server. */
  readonly origin: string;
  /** `INBOX_TOKEN`; undefined: the server is on this machine and has none. */
  readonly token: string | undefined;
  /** The folder of a build. */
  readonly folder: string;
  /** Write missing debug ids without asking. */
  readonly inject: boolean;
}

/**
 * Uploads the source maps of a build, of any application, to the inbox of a running server, by their debug ids. Where
 * there are none, it writes them into scripts and maps, with `--inject` or once the user agrees.
 *
 * @returns the exit code
 * @throws {UserError} the arguments are wrong, or the upload was refused
 */
export async function uploadToInbox(args: readonly string[]): Promise<number> {
  const upload = readUpload(args);
  const { folder } = upload;
  const paths = mapsIn(folder);
  await addDebugIds(upload, paths);
  const withoutId: string[] = [];
  let uploaded = 0;
  let bytes = 0;
  for (const path of paths) {
    const name = relative(folder, path);
    const { debugId, map, script } = await readMap(path);
    if (debugId === undefined) {
      withoutId.push(name);
      continue;
    }
    const size = await send(upload, name, debugId, JSON.stringify({ ...map, x_script: script }));
    console.log(`${name}  ${debugId}  ${size.toLocaleString("en")} bytes`);
    uploaded++;
    bytes += size;
  }
  const missing =
    `no debug id, by which errors find source maps: ${listed(withoutId)}. Add --inject:` +
    ` ${WRITE_IDS.toLowerCase()}, before these are compressed and served.`;
  if (uploaded > 0 && withoutId.length > 0) console.error(`Not uploaded, ${missing}`);
  if (uploaded === 0) {
    throw new UserError(
      `Cannot upload source maps: ${
        withoutId.length > 0 ? missing : `${folder} has no .js.map, .cjs.map or .mjs.map.`
      }`,
    );
  }
  console.log(
    `Uploaded ${uploaded} source ${uploaded === 1 ? "map" : "maps"} ` +
      `(${bytes.toLocaleString("en")} bytes) to ${upload.origin}.`,
  );
  return 0;
}

/** Writes debug ids where map and script have none, if the arguments or the user allow it. */
async function addDebugIds({ folder, inject }: Upload, paths: readonly string[]): Promise<void> {
  const bare: string[] = [];
  // One at a time: a map may have 20 MiB.
  for (const path of paths) {
    const { debugId, script } = await readMap(path);
    if (debugId === undefined && script !== undefined) bare.push(path);
  }
  if (bare.length === 0) return;
  const names = listed(bare.map((path) => relative(folder, path)));
  // `confirm` is false without a terminal.
  if (inject || confirm(`No debug id, by which errors find source maps: ${names}. ${WRITE_IDS}?`)) {
    for (const path of bare) await writeDebugId(path);
  }
}

function listed(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** @throws {UserError} */
function readUpload(args: readonly string[]): Upload {
  const { values: { to, token, inject }, positionals: [folder, ...others] } = readArguments(
    "upload source maps",
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
  const fail = (reason: string) =>
    new UserError(`Cannot upload source maps: ${reason}. Use: ${USAGE}`);
  if (folder === undefined || others.length > 0) throw fail("give one folder");
  const url = URL.parse(to ?? "");
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw fail("--to is not an http or https address");
  }
  return {
    origin: url.origin,
    token: token || Deno.env.get("INBOX_TOKEN") || undefined,
    folder,
    inject,
  };
}

/** The paths of all source maps of scripts, sorted. */
function mapsIn(folder: string): readonly string[] {
  const entries = ifFound(() => [...Deno.readDirSync(folder)]);
  if (entries === undefined) {
    throw new UserError(`Cannot upload source maps: ${folder} is not a folder.`);
  }
  return entries.flatMap(({ name, isDirectory }) => {
    const path = join(folder, name);
    if (isDirectory) return name === "node_modules" ? [] : mapsIn(path);
    return /\.[cm]?js\.map$/.test(name) ? [path] : [];
  }).sort();
}

/** What bundlers and Sentry's tool write into scripts (https://github.com/tc39/ecma426, proposal), and Sentry's plugins. */
const DEBUG_ID = /^\/\/# debugId=([\da-f-]{36})\s*$|sentry-dbid-([\da-f-]{36})/im;

/** A source map, and the script beside it, which names the functions of minified frames. */
interface MapFile {
  readonly map: SourceMap & Record<string, unknown>;
  readonly script: string | undefined;
  readonly debugId: string | undefined;
}

/** @throws {UserError} */
async function readMap(path: string): Promise<MapFile> {
  let map: Record<string, unknown>;
  try {
    map = Object(JSON.parse(await Deno.readTextFile(path)));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UserError(`Cannot upload source maps: ${path} is not JSON.`);
  }
  const script = await Deno.readTextFile(scriptOf(path)).catch(undefinedIfNotFound);
  const [, ...inScript] = DEBUG_ID.exec(script ?? "") ?? [];
  const id = map.debugId ?? map.debug_id ?? inScript.find(Boolean);
  return { map, script, debugId: typeof id === "string" ? id.toLowerCase() : undefined };
}

const scriptOf = (path: string) => path.slice(0, -".map".length);

/** Writes a debug id into a map and its script. */
async function writeDebugId(path: string): Promise<void> {
  const { map, script = "" } = await readMap(path);
  const injected = injectDebugId(script, map);
  // The map first: a script that registers an id must never have a map with other positions.
  await Deno.writeTextFile(path, JSON.stringify(injected.map));
  await Deno.writeTextFile(scriptOf(path), injected.script);
}

/**
 * @returns bytes sent
 * @throws {UserError} no answer, or a refusal
 */
async function send(
  { origin, token }: Upload,
  name: string,
  debugId: string,
  json: string,
): Promise<number> {
  const body = new TextEncoder().encode(json);
  const response = await fetch(`${origin}/monitoring/inbox?maps=${encodeURIComponent(debugId)}`, {
    method: "POST",
    body,
    headers: {
      "Content-Type": "application/json",
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
    redirect: "manual",
  }).catch((cause) => {
    throw new UserError(`Cannot upload ${name}: no server answers at ${origin}.`, { cause });
  });
  if (response.ok) {
    await response.body?.cancel();
    return body.byteLength;
  }
  const { detail } = Object(await response.json().catch(() => undefined)) as { detail?: unknown };
  const reason = typeof detail === "string" ? detail : "Is it Sightglass in inbox mode?";
  throw new UserError(
    `Cannot upload ${name}: ${origin} answers ${response.status}. ${reason}`,
  );
}
