/**
 * `deno task demo`: starts a stand-in Sentry on loopback and the server relaying to it, and prints a line for each
 * envelope that arrives. The stand-in has a page of its own, which makes it down, rate limited or slow.
 */
import { formatBytes } from "../components/format.ts";
import { formatTimeOfDay } from "../components/format_time.ts";
import { setTimeout } from "node:timers/promises";
import { loadConfig } from "../config/config.ts";
import { projectRoot } from "./project_files.ts";
import { onStopRequest, sendSignal, serverEnvironment, spawnServer } from "./run/processes.ts";

const KEY = "0123456789abcdef0123456789abcdef";

/** What the stand-in answers to envelopes, and what is then to be seen. */
interface State {
  readonly effect: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delayMs?: number;
}

const STATES: Readonly<Record<string, State>> = {
  Normal: { effect: "Envelopes are accepted, and the relay’s spool is drained." },
  Down: { effect: "Envelopes are answered 503: the relay stores them in its spool.", status: 503 },
  429: {
    effect:
      "An envelope is answered with a rate limit of 10 s: the page sends it again then, and " +
      "discards what it makes until then, which counts as lost.",
    status: 429,
    headers: { "retry-after": "10", "x-sentry-rate-limits": "10::organization" },
  },
  // Shorter than `RELAY_TIMEOUT_MS`.
  Slow: { effect: "Each envelope is accepted after 3 s.", delayMs: 3_000 },
};

/** Starts the stand-in. A GET there, of the page's links to Sentry too, shows its state and the buttons that change it. */
function startIngest(): Deno.HttpServer<Deno.NetAddr> {
  let name = "Normal";
  const address = { port: 0, hostname: "127.0.0.1", onListen() {} };
  return Deno.serve(address, async (request) => {
    const isControl = new URL(request.url).pathname === "/";
    if (request.method === "POST" && isControl) {
      const wanted = `${(await request.formData()).get("state")}`;
      if (Object.hasOwn(STATES, wanted)) name = wanted;
      return Response.redirect(request.url, 303);
    }
    if (request.method === "GET") {
      const headers = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" };
      return new Response(controlPage(name), { headers });
    }
    const { status = 200, headers, delayMs = 0 } = STATES[name]!;
    const { length } = await request.bytes();
    await setTimeout(delayMs);
    if (status === 200) console.log(`${formatTimeOfDay(Date.now())}  ${formatBytes(length)}`);
    return Response.json({}, { status, headers });
  });
}

function controlPage(now: string): string {
  const buttons = Object.keys(STATES).map((name) =>
    `<button name="state" value="${name}" aria-pressed="${name === now}">${name}</button>`
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>Stand-in Sentry: ${now}</title>
<style>
body { max-width: 40rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui }
button { font: inherit; padding: .25rem 1rem }
[aria-pressed="true"] { font-weight: 700; outline: 2px solid }
</style>
</head>
<body>
<h1>The stand-in Sentry</h1>
<form method="post" action="/">
${buttons.join("\n")}
</form>
<p role="status"><b>${now}</b>: ${STATES[now]!.effect}</p>
<p>Send test signals in the demo’s settings and watch them arrive.</p>
</body>
</html>
`;
}

const ingest = startIngest();
const origin = `http://127.0.0.1:${ingest.addr.port}`;
const dataDir = await Deno.makeTempDir({ prefix: "sightglass-demo-" });
const env = serverEnvironment(projectRoot, {
  ...Deno.env.toObject(),
  HOST: "127.0.0.1",
  DATA_DIR: dataDir,
  DATABASE_URL: "",
  WORKERS: "",
  SENTRY_DSN: `http://${KEY}@127.0.0.1:${ingest.addr.port}/1`,
  RELAY_UPSTREAM: "",
  // As for Sentry's hosted ingest: the page posts to its own origin.
  SENTRY_TUNNEL: "always",
  SENTRY_ENVIRONMENT: "demo",
});
console.log(`The stand-in Sentry, to switch to down, 429 or slow: ${origin}/`);
console.log(
  "The page is at the next address. Then follow the envelopes that the stand-in accepts.",
);
const server = spawnServer(projectRoot, env, loadConfig(env));
onStopRequest((signal) => sendSignal(server, signal));
await server.status;
await Deno.remove(dataDir, { recursive: true });
Deno.exit();
