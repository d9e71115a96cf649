/**
 * `deno task demo`: relay mode without an account. Starts a stand-in Sentry on loopback and the server
 * relaying to it, and prints a line for each envelope that arrives. The stand-in has a page of its own, which makes it
 * down, rate limited or slow.
 *
 * `PORT` (default 8000) is the page's.
 */
import { formatBytes } from "../components/format.ts";
import { formatTimeOfDay } from "../components/format_time.ts";
import { startServer } from "../tests/harness/server_process.ts";
import {
  answers,
  closes,
  type IngestBehaviour,
  redirects,
  type StandInIngest,
  startStandInIngest,
  takes,
  takesSlowly,
} from "../tests/harness/stand_in_ingest.ts";
import { onStopRequest } from "./run/processes.ts";

/** Names Sentry's hosted ingest, so that the page posts to its own origin. Sentry receives nothing. */
const DSN = "https://0123456789abcdef0123456789abcdef@o1.ingest.sentry.io/1";

/** Milliseconds: long enough to see the envelope wait, shorter than `RELAY_TIMEOUT_MS`. */
const SLOW_MS = 3_000;
/** Seconds: short enough to see the limit end. */
const LIMIT_S = 10;

/** What the stand-in does with envelopes, and what is then to be seen. */
const STATES: Readonly<
  Record<string, { title: string; effect: string; behaviour: IngestBehaviour }>
> = {
  normal: {
    title: "Normal",
    effect: "Envelopes are accepted, and the relay’s spool is drained.",
    behaviour: takes(),
  },
  down: {
    title: "Down",
    effect: "There is no answer: the relay stores envelopes in its spool.",
    behaviour: closes,
  },
  limited: {
    title: "429",
    effect:
      `Each envelope is answered with a rate limit of ${LIMIT_S} s: the page keeps it until then.`,
    behaviour: answers(429, {
      headers: {
        "retry-after": `${LIMIT_S}`,
        "x-sentry-rate-limits": `${LIMIT_S}::organization`,
      },
    }),
  },
  slow: {
    title: "Slow",
    effect: `Each envelope is accepted after ${SLOW_MS / 1000} s.`,
    behaviour: takesSlowly(SLOW_MS),
  },
};

/** Starts the stand-in. `GET /` there shows its state and the buttons that change it. */
function startDemoIngest(): StandInIngest {
  const ingest = startStandInIngest({ keepRequests: false });
  let state = STATES.normal!;
  ingest.behave(({ method, path, text, body }) => {
    if (path === "/" && method === "POST") {
      state = STATES[new URLSearchParams(text).get("state") ?? ""] ?? state;
      return redirects("/", 303);
    }
    if (method !== "POST") {
      const headers = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" };
      return path === "/" ? answers(200, { headers, body: controlPage(state) }) : answers(404);
    }
    if (state.behaviour.kind === "take") {
      console.log(`${formatTimeOfDay(Date.now())}  ${formatBytes(body.length)}`);
    }
    return state.behaviour;
  });
  return ingest;
}

function controlPage(now: typeof STATES[string]): string {
  const buttons = Object.entries(STATES).map(([name, state]) =>
    `<button name="state" value="${name}" aria-pressed="${state === now}">${state.title}</button>`
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>Stand-in Sentry: ${now.title}</title>
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
<p role="status"><b>${now.title}</b>: ${now.effect}</p>
<p>Generate telemetry on the demo’s page and watch the pipeline at its top.</p>
</body>
</html>
`;
}

const stopped = Promise.withResolvers<void>();
onStopRequest(() => stopped.resolve());
await using ingest = startDemoIngest();
await using server = await startServer({
  env: {
    PORT: Deno.env.get("PORT") || "8000",
    SENTRY_DSN: DSN,
    RELAY_UPSTREAM: ingest.origin,
    SENTRY_ENVIRONMENT: "demo",
  },
});
console.log(`The page: ${server.origin}/`);
console.log(`The stand-in Sentry, to switch to down, 429 or slow: ${ingest.origin}/`);
console.log("Envelopes that it accepts:");
await stopped.promise;
