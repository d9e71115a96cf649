import { join } from "node:path";
import type { UploadTarget } from "./sourcemaps_target.ts";

/** Sentry's tool did not come, or did not upload. The message is one line, made to be printed. */
export class UploadError extends Error {
  override readonly name = "UploadError";
}

/**
 * A project of its own, because Deno installs all that a project names before it runs anything of
 * it, and the tool is 24 MB that `deno task start` has no use for.
 */
const TOOL_PROJECT = "tools/sentry_cli";

/** Where the scripts are served; the host, which may be any, is left open. */
const URL_PREFIX = "~/assets/";

/** Until Sentry says that it has put together what it was sent. Seconds. */
const WAIT_S = 120;

/**
 * What the tool may know of the environment, beside the target: its way to the network. Not
 * `SENTRY_LOG_LEVEL`, by which it would print the beginning of the token, nor
 * `SENTRY_ALLOW_FAILURE`, by which a refusal would look like a success.
 */
const PASSED_ON = [
  ...["PATH", "HOME", "USERPROFILE", "SystemRoot", "TMPDIR", "TEMP", "TMP"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"],
  ...["http_proxy", "https_proxy", "all_proxy", "no_proxy"],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR"],
];

/**
 * Uploads a folder of scripts and source maps by Sentry's own tool, which is installed first where
 * it is not there yet: in the version and with the hash that its project's lock names.
 *
 * @throws {UploadError} with what the tool said, and without the token
 */
export async function uploadFolder(
  root: string,
  folder: string,
  release: string,
  target: UploadTarget,
): Promise<void> {
  const program = await installSentryCli(root);
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args: [
      "sourcemaps",
      "upload",
      `--release=${release}`,
      `--url-prefix=${URL_PREFIX}`,
      // As they are: the bundler's maps are flat and have their sources in them.
      "--no-rewrite",
      "--validate",
      "--strict",
      `--wait-for=${WAIT_S}`,
      ".",
    ],
    cwd: folder,
    clearEnv: true,
    env: environment(target),
    stdin: "null",
  }).output();
  if (success) return;
  throw new UploadError(
    `Cannot upload source maps: ${complaint(stderr, stdout, target.token)}`,
  );
}

/** @returns the path of the tool's program for this machine */
async function installSentryCli(root: string): Promise<string> {
  const project = join(root, TOOL_PROJECT);
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["install", "--quiet", "--frozen"],
    cwd: project,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  if (!success) {
    throw new UploadError(`Cannot install Sentry's tool: ${complaint(stderr, stdout)}`);
  }
  const { os, arch } = Deno.build;
  const platform = {
    darwin: "darwin",
    windows: `win32-${arch === "aarch64" ? "arm64" : "x64"}`,
  }[os as string] ?? `linux-${arch === "aarch64" ? "arm64" : "x64"}`;
  const program = os === "windows" ? "sentry-cli.exe" : "sentry-cli";
  // Beside the package, as Deno and npm put what a package depends on.
  const library = Deno.realPathSync(join(project, "node_modules/@sentry/cli"));
  try {
    return Deno.realPathSync(join(library, "..", `cli-${platform}`, "bin", program));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    const machine = `${os} on ${arch}`;
    throw new UploadError(
      `Cannot upload source maps: Sentry's tool has no program for ${machine}.`,
    );
  }
}

function environment({ token, org, project, url }: UploadTarget): Record<string, string> {
  const passed = PASSED_ON.map((name) => [name, Deno.env.get(name)] as const)
    .filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    ...Object.fromEntries(passed),
    SENTRY_AUTH_TOKEN: token,
    SENTRY_ORG: org,
    SENTRY_PROJECT: project,
    ...(url !== undefined && { SENTRY_URL: url }),
    // A `.env` of whatever folder is no part of what was asked for.
    SENTRY_LOAD_DOTENV: "0",
    SENTRY_NO_PROGRESS_BARS: "1",
  };
}

/** What a program complained of, in one line: without its advice, and without the token. */
function complaint(stderr: Uint8Array, stdout: Uint8Array, token?: string): string {
  const said = [stderr, stdout].map((bytes) => new TextDecoder().decode(bytes).trim());
  const [reason = ""] = said.find(Boolean)?.split(/^Add --log-level/m) ?? [];
  const lines = reason.split("\n")
    .map((line) => line.trim().replace(/^(?:error: |Caused by:|\d+: )/i, ""))
    .filter(Boolean);
  const line = [...new Set(lines)].join(": ") || "it ended without a word";
  return token === undefined ? line : line.replaceAll(token, "[token]");
}
