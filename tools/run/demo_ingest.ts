/** The demo's stand-in Sentry, which its own page switches to down, rate limited and slow. */
import {
  answers,
  closes,
  type IngestBehaviour,
  type IngestRequest,
  redirects,
  type StandInIngest,
  startStandInIngest,
  takes,
  takesSlowly,
} from "../../tests/harness/stand_in_ingest.ts";

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

/**
 * Starts the stand-in on a free port of the loopback. `GET /` there shows its state and the buttons that change it.
 *
 * @param onAccepted called with each envelope that it accepts
 */
export function startDemoIngest(onAccepted: (request: IngestRequest) => void): StandInIngest {
  const ingest = startStandInIngest({ keepRequests: false });
  let state = STATES.normal!;
  ingest.behave((request) => {
    const { method, path, text } = request;
    if (path === "/" && method === "POST") {
      state = STATES[new URLSearchParams(text).get("state") ?? ""] ?? state;
      return redirects("/", 303);
    }
    if (method !== "POST") {
      const headers = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" };
      return path === "/" ? answers(200, { headers, body: controlPage(state) }) : answers(404);
    }
    if (state.behaviour.kind === "take") onAccepted(request);
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
