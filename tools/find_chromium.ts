import type { Browser } from "@playwright/test";
import project from "../deno.json" with { type: "json" };
import { isAvailable } from "../tests/harness/is_available.ts";
import { UserError } from "./command_line.ts";

/** Playwright's command, for `deno run`, with the version of `deno.json`: else Deno would add an entry to the lock. */
export const PLAYWRIGHT_CLI = `${project.imports["@playwright/test"]}/cli`;

const chromiumMissing = (what: string) =>
  new UserError(
    `Cannot find a Chromium: ${what}. Install Chromium or Google Chrome, or set CHROMIUM_PATH` +
      " to its program.",
  );

/** Chromium obeys only the last `--disable-features`: this repeats Playwright's list, which a test compares. */
const DISABLED_FEATURES = [
  // Two pages of the address bar, which headless Chromium renders for each window: 0.7 s of CPU.
  "WebUIOmniboxPopup WebUIOmniboxAimPopup",
  // Playwright's.
  "AimEnabled AvoidCorsURLLoaderRestartOnRedirect AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose HttpsFirstBalancedModeAutoEnable HttpsUpgrades",
  "LensOverlay MediaRouter NetworkTimeServiceQuerying OptimizationHints PaintHolding",
  "PreconnectToSearch TcpPortRandomizationWin ThirdPartyStoragePartitioning",
  "msEdgeUpdateLaunchServicesPreferredVersion msForceBrowserSignIn",
].join(" ").replaceAll(" ", ",");

/** No background activity, usable as root in a container. Without QUIC all traffic is visible. */
export const CHROMIUM_ARGS: readonly string[] = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  `--disable-features=${DISABLED_FEATURES}`,
];

/** Usual paths of Chromium, the most likely first. */
const PATHS = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** Finds a Chromium that starts: `CHROMIUM_PATH`, else the system's, else Playwright's. @throws {UserError} */
export async function findChromium(): Promise<string | undefined> {
  const wanted = Deno.env.get("CHROMIUM_PATH");
  if (wanted) {
    if (await starts(wanted)) return wanted;
    throw chromiumMissing(`CHROMIUM_PATH is "${wanted}", which does not start`);
  }
  // Imported only here: Playwright is large.
  const { chromium } = await import("@playwright/test");
  for (const path of [...PATHS, chromium.executablePath()]) if (await starts(path)) return path;
  return undefined;
}

/** @throws {UserError} there is no Chromium */
export async function requireChromium(): Promise<string> {
  const found = await findChromium();
  if (found === undefined) throw chromiumMissing("none is installed");
  return found;
}

/** Installs a Chromium if there is none: as root on Debian with `apt-get`, otherwise with Playwright. */
export async function ensureChromium(): Promise<string> {
  const isRoot = Deno.build.os === "linux" && Deno.uid() === 0;
  if (await findChromium() === undefined && isRoot && await starts("apt-get")) {
    await run("apt-get", "update");
    await run("apt-get", "install", "-y", "chromium");
  }
  if (await findChromium() === undefined) {
    // As root also install the system libraries that Chromium needs.
    const options = isRoot ? ["--with-deps"] : [];
    await run(Deno.execPath(), "run", "-A", PLAYWRIGHT_CLI, "install", ...options, "chromium");
  }
  return await requireChromium();
}

export async function launchChromium(): Promise<Browser> {
  const executablePath = await requireChromium();
  const { chromium } = await import("@playwright/test");
  return await chromium.launch({ executablePath, args: [...CHROMIUM_ARGS] });
}

/** Whether a program starts. On some systems `chromium` only prints how to install it. */
const starts = (path: string) => isAvailable(path, "--version");

/** Runs a program to its end, whether it succeeds or not. */
async function run(command: string, ...args: string[]): Promise<void> {
  console.log(`No Chromium found: ${command} ${args.join(" ")}`);
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  await new Deno.Command(command, { args, env, stdin: "null" }).spawn().status;
}
