import { runDeno } from "../harness/run_program.ts";

/** The folder of the applications, of `deno.json` with the versions of their SDKs, and of these packages. */
export const SDKS = new URL("./", import.meta.url).pathname;

/** Maximum time to download the packages once. */
const INSTALL_MS = 300_000;

/** OpenTelemetry's, apart from Sentry's SDKs: these would use its packages of another version. */
export const OPENTELEMETRY = `${SDKS}opentelemetry/`;

/** Installs the SDKs. They have a lock file of their own, so that no start of the server downloads them. */
export const installSdks = () => install(SDKS);
export const installOpenTelemetry = () => install(OPENTELEMETRY);

async function install(folder: string): Promise<void> {
  const signal = AbortSignal.timeout(INSTALL_MS);
  const { code, stderr } = await runDeno(["install", "--frozen"], { cwd: folder, signal });
  if (code !== 0) throw new Error(`Cannot install the SDKs of ${folder}: ${stderr}`);
}

/**
 * The folder of modules that has one version of a package and its dependencies.
 *
 * @param name `@sentry/node`
 */
export function modulesOf(name: string, version: string, folder = SDKS): string {
  return `${folder}node_modules/.deno/${name.replace("/", "+")}@${version}/node_modules`;
}

/** The folder of one version of a package of OpenTelemetry, beside the packages that it imports. */
export function openTelemetry(name: string, version: string): string {
  const full = `@opentelemetry/${name}`;
  return `${modulesOf(full, version, OPENTELEMETRY)}/${full}`;
}
