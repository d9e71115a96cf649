import { isOwnOrigin } from "../access/caller.ts";
import { makePrivate, methodRefusal, refusal } from "../access/private_response.ts";
import { inboxReadAccess, type ReadAccessOptions } from "../access/read_access.ts";
import type { McpHandler } from "./mcp_handler.ts";
import type { TelemetryReader } from "./telemetry_reader.ts";

/** Creates `/monitoring/mcp`: the inbox for assistants, by the Model Context Protocol over HTTP, without sessions. */
export function createMcpEndpoint(options: ReadAccessOptions & TelemetryReader) {
  const accessOf = inboxReadAccess(options);
  let handler: Promise<McpHandler> | undefined;

  return async (request: Request, peer: string | undefined): Promise<Response> => {
    if (request.method !== "POST") {
      // The protocol's answer of a server that has no streams (GET) and no sessions (DELETE).
      return methodRefusal("POST", "This server answers POST here.");
    }
    const access = await accessOf(request, peer);
    if (!access.allowed) return refusal(403, "inbox_forbidden", access.detail);
    // The protocol requires this check against DNS rebinding: browsers send `Origin` with every POST.
    const origin = request.headers.get("origin");
    if (origin !== null && !isOwnOrigin(origin, request, options.publicOrigin)) {
      return refusal(403, "origin_not_allowed", "No page of another origin may use this server.");
    }
    handler ??= load(options);
    // The next request tries again.
    handler.catch(() => handler = undefined);
    return makePrivate(await (await handler)(request));
  };
}

/** The library takes 100 ms and 40 MB, so the first request loads it. Not `import("./…")`, which Deno loads at the start. */
async function load(reader: TelemetryReader): Promise<McpHandler> {
  const module = new URL("./mcp_handler.ts", import.meta.url).href;
  const { createHandler }: typeof import("./mcp_handler.ts") = await import(module);
  return createHandler(reader);
}
