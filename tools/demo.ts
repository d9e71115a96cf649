/**
 * `deno task demo`: a stand-in Sentry on loopback, the server relaying to it, and the page open on
 * it: relay mode without an account. What arrives at the stand-in is listed as it comes.
 *
 * `PORT` (default 8000) is the page's. In a terminal the browser opens by itself.
 */
import { fileURLToPath } from "node:url";
import { isFresh } from "../server/build/inputs.ts";
import { startStandInIngest, takes } from "../tests/stand_in_ingest.ts";
import { DEMO_DSN, describeArrival } from "./demo_arrival.ts";
import { onStopRequest, spawnBuild } from "./processes.ts";
import { startServer } from "./server_process.ts";

const root = fileURLToPath(new URL("..", import.meta.url)).replace(/[\\/]$/, "");

/** Handles a request to stop. Until the server runs, nothing needs more than the end of this process. */
let stop = (): void => Deno.exit(0);
onStopRequest(() => stop());

Deno.exitCode = await demo();

async function demo(): Promise<number> {
  if (!await isFresh({ root, out: `${root}/.build`, dev: false })) {
    console.error("Building the page");
    const { code } = await spawnBuild(root, { dev: false }).status;
    if (code !== 0) return code;
  }

  await using ingest = startStandInIngest();
  ingest.behave((request) => {
    describeArrival(request, Date.now()).then(console.log, console.error);
    return takes();
  });
  await using server = await startServer({
    env: {
      PORT: Deno.env.get("PORT") || "8000",
      SENTRY_DSN: DEMO_DSN,
      RELAY_UPSTREAM: ingest.origin,
      SENTRY_ENVIRONMENT: "demo",
    },
  });
  console.log(`The page: ${server.origin}/`);
  console.log("What arrives at the stand-in for Sentry:");
  if (Deno.stdout.isTerminal()) openInBrowser(`${server.origin}/`);

  await new Promise<void>((resolve) => stop = resolve);
  return 0;
}

/** With the system's own opener. Where there is none the address stands in the terminal. */
function openInBrowser(url: string): void {
  const [program, ...args] = {
    darwin: ["open", url],
    windows: ["rundll32", "url.dll,FileProtocolHandler", url],
  }[Deno.build.os as string] ?? ["xdg-open", url];
  try {
    new Deno.Command(program!, { args, stdin: "null", stdout: "null", stderr: "null" }).spawn()
      .unref();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
