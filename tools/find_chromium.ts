import { PLAYWRIGHT_CLI } from "./playwright_cli.ts";

/** No Chromium is there and none could be installed. The message is made to be printed. */
export class ChromiumMissing extends Error {
  override readonly name = "ChromiumMissing";
  constructor(what: string) {
    super(
      `Cannot find a Chromium: ${what}. Install Chromium or Google Chrome, or set CHROMIUM_PATH` +
        " to its program.",
    );
  }
}

/**
 * Chromium's switches for tests: quiet, without what differs between machines, and startable as root in
 * a container. QUIC is off so that all traffic can be seen.
 */
export const CHROMIUM_ARGS: readonly string[] = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

/** Where systems keep a Chromium, the likeliest first. */
const PLACES: Partial<Record<typeof Deno.build.os, readonly string[]>> = {
  linux: [
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
    "/usr/bin/google-chrome-stable",
    "/opt/google/chrome/chrome",
    "/snap/bin/chromium",
  ],
  darwin: [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
  ],
};

/**
 * Path of a Chromium that starts: `CHROMIUM_PATH`, else the system's, else Playwright's own.
 * Undefined if there is none.
 *
 * @throws {ChromiumMissing} if `CHROMIUM_PATH` names something else: it is never passed over in silence
 */
export async function findChromium(): Promise<string | undefined> {
  const wanted = Deno.env.get("CHROMIUM_PATH");
  if (wanted) {
    if (await starts(wanted)) return wanted;
    throw new ChromiumMissing(`CHROMIUM_PATH is "${wanted}", which does not start`);
  }
  for (const path of PLACES[Deno.build.os] ?? []) if (await starts(path)) return path;
  const own = await playwrightsOwn();
  return await starts(own) ? own : undefined;
}

/**
 * Path of a Chromium, installed if there is none: as root on Debian by `apt-get`, elsewhere by
 * Playwright. Takes a minute or two then.
 *
 * @throws {ChromiumMissing} if neither works
 */
export async function ensureChromium(): Promise<string> {
  const found = await findChromium();
  if (found !== undefined) return found;
  const root = Deno.build.os === "linux" && Deno.uid() === 0;
  if (root && await starts("apt-get")) {
    console.log("No Chromium found: installing it with apt-get");
    const env = { DEBIAN_FRONTEND: "noninteractive" };
    const installed = await run("apt-get", ["update"], env) &&
      await run("apt-get", ["install", "-y", "chromium"], env) && await findChromium();
    if (installed) return installed;
  }
  console.log("No Chromium found: installing Playwright's");
  // With the system libraries that Chromium needs, where this process may install them.
  const args = ["install", ...(root ? ["--with-deps"] : []), "chromium"];
  const ran = await run(Deno.execPath(), ["run", "-A", PLAYWRIGHT_CLI, ...args]);
  const installed = ran ? await findChromium() : undefined;
  if (installed === undefined) {
    throw new ChromiumMissing("none is installed, and neither apt-get nor Playwright brought one");
  }
  return installed;
}

/** Where Playwright keeps the Chromium that belongs to its version, whether it is there or not. */
async function playwrightsOwn(): Promise<string> {
  // Loaded only when nothing else was found: it is large.
  const { chromium } = await import("@playwright/test");
  return chromium.executablePath();
}

/** Whether a program is there and runs: some systems have a `chromium` that only says where to get one. */
async function starts(path: string): Promise<boolean> {
  try {
    const { success } = await new Deno.Command(path, {
      args: ["--version"],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).output();
    return success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.PermissionDenied) {
      return false;
    }
    throw error;
  }
}

async function run(
  command: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<boolean> {
  const { success } = await new Deno.Command(command, { args, env, stdin: "null" }).spawn().status;
  return success;
}

if (import.meta.main) console.log(await ensureChromium());
