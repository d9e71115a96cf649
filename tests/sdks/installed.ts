import { runDeno } from "../harness/run_program.ts";

/** The folder of the applications, of `deno.json` with the versions of their SDKs, and of these packages. */
export const SDKS = new URL("./", import.meta.url).pathname;

/** Maximum time to download the packages once. */
const INSTALL_MS = 300_000;

/** Installs the SDKs. They have a lock file of their own, so that no start of the server downloads them. */
export async function installSdks(): Promise<void> {
  const signal = AbortSignal.timeout(INSTALL_MS);
  const { code, stderr } = await runDeno(["install", "--frozen"], { cwd: SDKS, signal });
  if (code !== 0) throw new Error(`Cannot install the SDKs of tests/sdks/: ${stderr}`);
}

/**
 * The folder of modules that has one version of a package and its dependencies.
 *
 * @param name `@sentry/node`
 */
export function modulesOf(name: string, version: string): string {
  return `${SDKS}node_modules/.deno/${name.replace("/", "+")}@${version}/node_modules`;
}
