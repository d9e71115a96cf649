import { parseArgs } from "node:util";
import { join, relative } from "node:path";
import { ifFound, undefinedIfNotFound } from "../../server/if_found.ts";
import { UserError } from "../user_error.ts";

const USAGE = "Use: deno task sourcemaps --to http://HOST:PORT [--token TOKEN] FOLDER";

/** What to upload, and where to. */
interface Upload {
  /** `http://HOST:PORT` of the server. */
  readonly origin: string;
  /** `INBOX_TOKEN`; undefined: the server is on this machine and has none. */
  readonly token: string | undefined;
  /** The folder of a build. */
  readonly folder: string;
}

/**
 * Uploads the source maps of a build, of any application, to the inbox of a running server, by their debug ids.
 * Changes no files: bundlers or `sentry-cli sourcemaps inject` write the ids.
 *
 * @returns the exit code
 * @throws {UserError} the arguments are wrong, or the upload was refused
 */
export async function uploadToInbox(args: readonly string[]): Promise<number> {
  const upload = readArguments(args);
  const withoutId: string[] = [];
  let uploaded = 0;
  let bytes = 0;
  for (const path of mapsIn(upload.folder)) {
    const name = relative(upload.folder, path);
    const map = await readMap(path);
    if (map.debugId === undefined) {
      withoutId.push(name);
      continue;
    }
    const size = await send(upload, name, map.debugId, map.json);
    console.log(`${name}  ${map.debugId}  ${size.toLocaleString("en")} bytes`);
    uploaded++;
    bytes += size;
  }
  if (withoutId.length > 0) {
    console.error(
      `Not uploaded, as neither the map nor its script has a debug id: ${withoutId.join(", ")}. ` +
        "`npx @sentry/cli sourcemaps inject FOLDER` writes debug ids.",
    );
  }
  if (uploaded === 0) {
    throw new UserError(
      `Cannot upload source maps: ${upload.folder} has no .js.map, .cjs.map or .mjs.map with a` +
        " debug id.",
    );
  }
  console.log(
    `Uploaded ${uploaded} source ${uploaded === 1 ? "map" : "maps"} ` +
      `(${bytes.toLocaleString("en")} bytes) to ${upload.origin}.`,
  );
  return 0;
}

/** @throws {UserError} */
function readArguments(args: readonly string[]): Upload {
  try {
    const { values, positionals: [folder, ...others] } = parseArgs({
      args: [...args],
      options: { to: { type: "string" }, token: { type: "string" } },
      allowPositionals: true,
    });
    const url = URL.parse(values.to ?? "");
    if (folder === undefined || others.length > 0) throw new TypeError("give one folder.");
    if (!/^https?:$/.test(url?.protocol ?? "")) {
      throw new TypeError("--to is not an http or https address.");
    }
    const token = values.token || Deno.env.get("INBOX_TOKEN") || undefined;
    return { origin: url!.origin, token, folder };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UserError(`Cannot upload source maps: ${error.message} ${USAGE}`);
  }
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

/** What bundlers and Sentry's tool write at the end of a script (https://github.com/tc39/ecma426, proposal). */
const DEBUG_ID_COMMENT = /^\/\/# debugId=([\da-f-]{36})\s*$/im;
/** Comments at the end of a script have less. */
const END_CHARACTERS = 1_000;

/**
 * Reads a map, its debug id, and its script beside it, which names the functions of minified frames.
 *
 * @throws {UserError}
 */
async function readMap(
  path: string,
): Promise<{ readonly debugId: string | undefined; readonly json: string }> {
  let map: Record<string, unknown>;
  try {
    map = Object(JSON.parse(await Deno.readTextFile(path)));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UserError(`Cannot upload source maps: ${path} is not JSON.`);
  }
  const script = await Deno.readTextFile(path.slice(0, -".map".length)).catch(undefinedIfNotFound);
  const id = map.debugId ?? map.debug_id ??
    DEBUG_ID_COMMENT.exec(script?.slice(-END_CHARACTERS) ?? "")?.[1];
  return {
    debugId: typeof id === "string" ? id.toLowerCase() : undefined,
    json: JSON.stringify(script === undefined ? map : { ...map, x_script: script }),
  };
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
