/**
 * Records one envelope for each type of item. Run manually, with a Chromium:
 *
 * `deno run -A tests/relay/testdata/record.ts`
 *
 * | Files | Made by |
 * | --- | --- |
 * | `attachment`, `client_report`, `event`, `feedback`, `log`, `profile` (and its transaction), `profile_chunk`, `replay` (event and recording), `session`, `span`, `trace_metric`, `transaction` | `@sentry/browser` 10.75.2 in a real Chromium, on the page of `recorded_page.ts`: the bytes that its own transport posted |
 * | `sessions` | `@sentry/core` 10.75.2 in this process: a real client sends the aggregates of two requests; browsers send no aggregates |
 * | `raw_security` | written after https://develop.sentry.dev/sdk/data-model/envelope-items/ and a browser's CSP report (https://www.w3.org/TR/CSP3/#deprecated-serialize-violation): Sentry's ingest makes this item, no JavaScript SDK does |
 *
 * They contain no personal data: the page has an invented name, and of the machine only browser and operating system
 * are named.
 */
import { chromium } from "@playwright/test";
import { createTransport, ServerRuntimeClient } from "@sentry/core";
import * as esbuild from "esbuild";
import { fileURLToPath } from "node:url";
import { readEnvelope } from "../../../monitoring/protocol/scanner.ts";
import { CHROMIUM_ARGS, findChromium } from "../../../tools/find_chromium.ts";
import { DSN, envelope } from "../_start_relay.ts";

/** The item types of each file. */
const ITEM_TYPES: Readonly<Record<string, readonly string[]>> = {
  attachment: ["event", "attachment"],
  client_report: ["client_report"],
  event: ["event"],
  feedback: ["feedback"],
  log: ["log"],
  profile: ["transaction", "profile"],
  profile_chunk: ["profile_chunk"],
  raw_security: ["raw_security"],
  replay: ["replay_event", "replay_recording"],
  session: ["session"],
  sessions: ["sessions"],
  span: ["span"],
  trace_metric: ["trace_metric"],
  transaction: ["transaction"],
};

const recorded = [await recordedSessions(), securityReport(), ...await recordedInBrowser()];
for (const [name, types] of Object.entries(ITEM_TYPES)) {
  const bytes = recorded.find((bytes) =>
    `${readEnvelope(bytes).items.map(({ header }) => header.type)}` === `${types}`
  );
  if (bytes === undefined) throw new Error(`No envelope of ${types} was recorded.`);
  await Deno.writeFile(new URL(`${name}.envelope`, import.meta.url), bytes);
  console.log(`${name}.envelope: ${bytes.length} bytes`);
}

/** The bodies that the browser SDK posted, in the order in which they came. */
async function recordedInBrowser(): Promise<Uint8Array[]> {
  const bodies: Uint8Array[] = [];
  const script = await bundle();
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (req) => {
      const { pathname } = new URL(req.url);
      if (pathname === "/monitoring") {
        bodies.push(await req.bytes());
        return Response.json({});
      }
      if (pathname === "/page.js") {
        return new Response(script, { headers: { "content-type": "text/javascript" } });
      }
      // The profiler runs on documents that ask for it.
      const headers = { "content-type": "text/html", "document-policy": "js-profiling" };
      const html =
        '<!doctype html><title>page</title><p>Text.</p><script type="module" src="/page.js"></script>';
      return new Response(html, { headers });
    },
  );
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    args: [
      ...CHROMIUM_ARGS,
      `--host-resolver-rules=MAP page.localhost:80 127.0.0.1:${server.addr.port}`,
    ],
  });
  try {
    for (const mode of ["static", "stream", "chunks"]) {
      const context = await browser.newContext({ locale: "en-US", timezoneId: "UTC" });
      const page = await context.newPage();
      await page.goto(`http://page.localhost/#${mode}`);
      await page.waitForFunction(() => document.title === "done");
      // When the page is left, the SDK sends its client report.
      await page.goto("about:blank");
      await context.close();
    }
  } finally {
    await browser.close();
  }
  return bodies;
}

async function bundle(): Promise<string> {
  const { outputFiles } = await esbuild.build({
    entryPoints: [fileURLToPath(new URL("recorded_page.ts", import.meta.url))],
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    target: "chrome120",
    tsconfigRaw: {},
  });
  await esbuild.stop();
  return outputFiles[0]?.text ?? "";
}

async function recordedSessions(): Promise<Uint8Array> {
  let sent: string | Uint8Array = "";
  const client = new ServerRuntimeClient({
    dsn: DSN,
    tunnel: "/monitoring",
    release: "recorded@1.0.0",
    environment: "recording",
    integrations: [],
    stackParser: () => [],
    transport: (options) =>
      createTransport(options, ({ body }) => {
        sent = body;
        return Promise.resolve({ statusCode: 200 });
      }),
  });
  client.init();
  const aggregate = { started: "2026-01-01T00:00:00.000Z", exited: 1, errored: 1, crashed: 0 };
  client.sendSession({ aggregates: [aggregate] });
  await client.flush();
  return typeof sent === "string" ? new TextEncoder().encode(sent) : sent;
}

function securityReport(): Uint8Array {
  const report = {
    "csp-report": {
      "document-uri": "http://page.localhost/",
      "violated-directive": "script-src-elem",
      "effective-directive": "script-src-elem",
      "original-policy": "default-src 'none'; report-uri /security",
      "disposition": "enforce",
      "blocked-uri": "inline",
      "status-code": 200,
    },
  };
  return envelope({ event_id: "0123456789abcdef0123456789abcdef", dsn: DSN }, [
    [{ type: "raw_security", content_type: "application/csp-report" }, JSON.stringify(report)],
  ]);
}
