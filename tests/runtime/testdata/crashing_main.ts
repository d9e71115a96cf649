/** A server made of the same parts as `main.ts`, with paths that crash it. */
import { join } from "node:path";
import { readConfig } from "../../../config/config.ts";
import { Inbox } from "../../../monitoring/inbox/inbox.ts";
import { Relay } from "../../../monitoring/relay/relay.ts";
import { writeJsonLogs } from "../../../monitoring/runtime/console_log.ts";
import { reportCrashes, startRuntime } from "../../../monitoring/runtime/start_runtime.ts";
import { toResponse } from "../../../server/headers.ts";
import { serve } from "../../../server/serve.ts";

if (Deno.env.get("LOG_FORMAT") === "json") writeJsonLogs();
reportCrashes();
const config = readConfig();
const runtime = await startRuntime({
  dsn: config.dsn.text,
  environment: config.environment,
  root: new URL("../../../", import.meta.url).href,
  deliver: async (request) => toResponse(await relay.answer(request, undefined)),
});
const store = config.mode === "inbox"
  ? new Inbox({ path: join(config.dataDir, "inbox.sqlite"), maxBytes: config.inboxMaxBytes })
  : undefined;
const relay = new Relay({ ...config, store, spool: undefined });

serve({
  port: config.port,
  hostname: config.hostname,
  handler(request) {
    if (request.url.endsWith("/reject")) void Promise.reject(new Error("unhandled rejection"));
    if (request.url.endsWith("/throw")) {
      queueMicrotask(() => {
        throw new Error("uncaught error");
      });
    }
    return new Response("ok");
  },
  onStopping() {},
  onAnswered: (ms) => runtime.stop(ms),
  onStopped: () => store?.close(),
});
