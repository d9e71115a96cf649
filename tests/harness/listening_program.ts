/** Other servers, each in a process of its own on a loopback port. */
import { isAvailable } from "./is_available.ts";
import { findStablePort } from "./stable_port.ts";

export interface ListeningProgram extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly port: number;
  readonly pid: number;
}

/** A program of nginx that runs. Debian installs it in a folder that only root's `PATH` contains. */
export const nginx = (await isAvailable("nginx", "-v"))
  ? "nginx"
  : (await isAvailable("/usr/sbin/nginx", "-v"))
  ? "/usr/sbin/nginx"
  : undefined;

/**
 * Starts a program on a free port and waits until it listens. Its standard input is a pipe that closes when this
 * process ends.
 *
 * @param argsOf its arguments
 * @throws with its output, if it ends before
 */
export async function startListening(
  program: string,
  argsOf: (port: number) => readonly string[],
): Promise<ListeningProgram> {
  const port = findStablePort();
  const child = new Deno.Command(program, {
    args: [...argsOf(port)],
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const printed = new Response(child.stderr).text();
  let isRunning = true;
  child.status.then(() => isRunning = false);
  for (;;) {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      break;
    } catch (error) {
      if (!(error instanceof Deno.errors.ConnectionRefused)) throw error;
      if (!isRunning) throw new Error(`${program} ended: ${await printed}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      if (isRunning) child.kill("SIGTERM");
      await Promise.all([child.status, printed]);
      await child.stdin.close().catch(() => {
        // The pipe is broken once the program has ended.
      });
    },
  };
}

/**
 * Starts nginx in one process, whose CPU time can be measured.
 *
 * @param http contents of its `http` block
 */
export async function startNginx(http: (port: number) => string): Promise<ListeningProgram> {
  if (nginx === undefined) throw new Error("nginx is not installed.");
  const folder = await Deno.makeTempDir({ prefix: "nginx-" });
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const argsOf = (port: number) => {
    Deno.writeTextFileSync(
      `${folder}/nginx.conf`,
      `daemon off; master_process off; pid nginx.pid; error_log stderr error; events {}
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${name};`).join(" ")}
${http(port)}
}`,
    );
    return ["-p", folder, "-e", "stderr", "-c", "nginx.conf"];
  };
  const remove = () => Deno.remove(folder, { recursive: true });
  try {
    const server = await startListening(nginx, argsOf);
    const stop = async () => {
      await server[Symbol.asyncDispose]();
      await remove();
    };
    return { ...server, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await remove();
    throw error;
  }
}
