import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { ParameterError } from "../inbox/query_parameters.ts";
import { UnreadableEventError } from "../models/error/error_event.ts";
import { CursorError } from "../models/index/list_cursor.ts";
import { type TelemetryReader, ToolError, type ToolInput } from "./telemetry_reader.ts";
import { type Tool, TOOLS } from "./tools.ts";
import { UNTRUSTED_NOTICE, untrustedText } from "./untrusted_text.ts";

/** Answers one POST of a client that may read the inbox. */
export type McpHandler = (request: Request) => Promise<Response>;

/** Bytes. A call has a few hundred. */
const MAX_REQUEST_BYTES = 64 * 1024;

const INSTRUCTIONS =
  "Sightglass keeps the telemetry of the applications that are developed on this machine: errors, traces and" +
  " structured logs. To find a cause: list_errors, then get_error for stack trace and source lines, then" +
  ` get_trace and search_logs with its trace_id. ${UNTRUSTED_NOTICE}`;

/** Serves both forms of the protocol, that of 2026-07-28 and the earlier ones, without state between requests. */
export function createHandler(reader: TelemetryReader): McpHandler {
  // Compiled once: each request has its own server.
  const tools = TOOLS.map((tool) => ({ tool, inputSchema: fromJsonSchema(tool.input) }));
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "sightglass", version: "1" }, {
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
    });
    for (const { tool, inputSchema } of tools) {
      const { name, title, description } = tool;
      server.registerTool(name, {
        title,
        description: `${description} ${UNTRUSTED_NOTICE}`,
        inputSchema,
        annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
      }, (input: unknown) => run(tool, input, reader));
    }
    return server;
  }, {
    maxRequestBodySize: MAX_REQUEST_BYTES,
    // The tools never change, so there is nothing to subscribe to.
    maxSubscriptions: 0,
    keepAliveMs: 0,
  });
  // A request of its own: the runtime prints a warning for code that reads the `signal` of one that it serves.
  return ({ headers, body }) =>
    handler.fetch(new Request("http://mcp.invalid/", { method: "POST", headers, body }));
}

const EXPECTED_ERRORS = [ToolError, ParameterError, CursorError, UnreadableEventError];

async function run(tool: Tool, input: unknown, reader: TelemetryReader) {
  try {
    const answer = await reader.inbox.readInTurn(() => tool.run(input as ToolInput, reader));
    return { content: [{ type: "text" as const, text: untrustedText(answer) }] };
  } catch (error) {
    const isExpected = EXPECTED_ERRORS.some((kind) => error instanceof kind);
    if (!isExpected) console.error(`Cannot answer the tool ${tool.name}:`, error);
    const text = isExpected
      ? (error as Error).message
      : "The inbox cannot be read now. The server's output has the reason.";
    return { content: [{ type: "text" as const, text }], isError: true };
  }
}
