import { runDeno } from "../tests/harness/run_program.ts";
import { UserError } from "./command_line.ts";
import { projectRoot } from "./project_files.ts";

/** A project by itself, so that `deno task start` does not download this tool of 24 MB. */
const TOOL_PROJECT = `${projectRoot}/tools/sentry_cli/deno.json`;

/**
 * Runs Sentry's tool in a folder.
 *
 * @param env its only variables of Sentry. LOG_LEVEL=debug would print the beginning of the token, ALLOW_FAILURE turn a
 *   refusal into success.
 * @throws {UserError} with the tool's message, without the token
 */
export async function runSentryCli(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const others = Object.entries(Deno.env.toObject())
    .filter(([name]) => !name.startsWith("SENTRY_"));
  const tool = ["run", "--quiet", "--frozen", "-A", `--config=${TOOL_PROJECT}`, "@sentry/cli"];
  const { code, output } = await runDeno([...tool, "sourcemaps", ...args], {
    cwd: folder,
    clearEnv: true,
    env: {
      ...Object.fromEntries(others),
      ...env,
      // Ignore any `.env` file.
      SENTRY_LOAD_DOTENV: "0",
      SENTRY_NO_PROGRESS_BARS: "1",
      NO_COLOR: "1",
    },
  });
  if (code === 0) return;
  const text = output.trim();
  const { SENTRY_AUTH_TOKEN: token } = env;
  throw new UserError(
    `Sentry's tool failed: ${token === undefined ? text : text.replaceAll(token, "[token]")}`,
  );
}
