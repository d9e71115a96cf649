import { join } from "node:path";
import { UserError } from "../command_line.ts";

/** Destination and credentials of an upload. */
export interface UploadTarget {
  /** Never printed. */
  readonly token: string;
  /** Short names, as in Sentry's addresses. */
  readonly org: string;
  readonly project: string;
  /** Address of a Sentry other than sentry.io. */
  readonly url?: string;
}

/**
 * A separate Deno project: Deno installs all packages of a project before it runs anything, and
 * `deno task start` should not download this tool of 24 MB.
 */
const TOOL_PROJECT = "tools/sourcemaps/sentry_cli";

/** URL of the scripts on any host. */
const URL_PREFIX = "~/assets/";

/** Maximum wait, in seconds, until Sentry has processed the upload. */
const PROCESSING_TIMEOUT_S = 120;

/**
 * Variables passed to the tool beside the target. Not `SENTRY_LOG_LEVEL`: `debug` prints the beginning
 * of the token. Not `SENTRY_ALLOW_FAILURE`: it turns a refusal into success.
 */
const PASSED_ON = [
  ...["PATH", "HOME", "USERPROFILE", "SystemRoot", "TMPDIR", "TEMP", "TMP"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"],
  ...["http_proxy", "https_proxy", "all_proxy", "no_proxy"],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR"],
];

/**
 * Uploads a folder of scripts and source maps with Sentry's tool. Installs the tool if needed, with the
 * version and hash of its lock file.
 *
 * @throws {UserError} the tool could not be installed, or failed; with its message, without the token
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
      // The bundler's maps need no rewriting: they are flat and contain their sources.
      "--no-rewrite",
      "--validate",
      "--strict",
      `--wait-for=${PROCESSING_TIMEOUT_S}`,
      ".",
    ],
    cwd: folder,
    clearEnv: true,
    env: environment(target),
    stdin: "null",
  }).output();
  if (success) return;
  throw new UserError(
    `Cannot upload source maps: ${errorMessage(stderr, stdout, target.token)}`,
  );
}

/** Returns the path of the tool's program for this machine. */
async function installSentryCli(root: string): Promise<string> {
  const project = join(root, TOOL_PROJECT);
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["install", "--quiet", "--frozen"],
    cwd: project,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  if (!success) {
    throw new UserError(`Cannot install Sentry's tool: ${errorMessage(stderr, stdout)}`);
  }
  const { os, arch } = Deno.build;
  const platform = {
    darwin: "darwin",
    windows: `win32-${arch === "aarch64" ? "arm64" : "x64"}`,
  }[os as string] ?? `linux-${arch === "aarch64" ? "arm64" : "x64"}`;
  const program = os === "windows" ? "sentry-cli.exe" : "sentry-cli";
  // Deno and npm install a package's dependencies beside it.
  const library = Deno.realPathSync(join(project, "node_modules/@sentry/cli"));
  try {
    return Deno.realPathSync(join(library, "..", `cli-${platform}`, "bin", program));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    const machine = `${os} on ${arch}`;
    throw new UserError(
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
    // Ignore any `.env` file.
    SENTRY_LOAD_DOTENV: "0",
    SENTRY_NO_PROGRESS_BARS: "1",
  };
}

/** The error message of a program in one line, without its usage hints and without the token. */
function errorMessage(stderr: Uint8Array, stdout: Uint8Array, token?: string): string {
  const outputs = [stderr, stdout].map((bytes) => new TextDecoder().decode(bytes).trim());
  const [reason = ""] = outputs.find(Boolean)?.split(/^Add --log-level/m) ?? [];
  const lines = reason.split("\n")
    .map((line) => line.trim().replace(/^(?:error: |Caused by:|\d+: )/i, ""))
    .filter(Boolean);
  const line = [...new Set(lines)].join(": ") || "it failed without a message";
  return token === undefined ? line : line.replaceAll(token, "[token]");
}
