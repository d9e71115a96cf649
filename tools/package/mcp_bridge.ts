import process from "node:process";
import { createInterface } from "node:readline";
import type { Environment } from "../run/processes.ts";
import { openServer } from "./running_server.ts";

/**
 * The Model Context Protocol on standard input and output, one JSON-RPC message a line: each one is posted to the server
 * at the configured address, or to one that is started and ends with the input.
 *
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
 */
export async function bridgeMcp(settings: Environment): Promise<number> {
  await using servers = new AsyncDisposableStack();
  const open = async () => servers.use(await openServer("answer", settings));
  let server = await open();
  const answered = new Set<Promise<void>>();
  for await (const line of createInterface({ input: process.stdin })) {
    const work = answer(line).finally(() => answered.delete(work));
    answered.add(work);
  }
  await Promise.all(answered);
  return 0;

  async function answer(line: string): Promise<void> {
    try {
      // The server that was found may have ended.
      const response = await post(line).catch(async () => {
        server = await open();
        return await post(line);
      });
      for (const message of await messagesOf(response)) console.log(message);
    } catch (error) {
      const { message } = error as Error;
      const { id } = readMessage(line);
      // A notification has no answer. The code is JSON-RPC's for an error that is not the caller's.
      if (id === undefined) console.error(message);
      else console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32603, message } }));
    }
  }

  async function post(body: string): Promise<Response> {
    const { method, params } = readMessage(body);
    // Since version 2026-07-28.
    const version = params?._meta?.["io.modelcontextprotocol/protocolVersion"];
    const headers = {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...server.token && { Authorization: `Bearer ${server.token}` },
      ...version && { "MCP-Protocol-Version": version, "Mcp-Method": method },
      ...version && params.name && { "Mcp-Name": params.name },
    };
    return await fetch(`${server.origin}/monitoring/mcp`, { method: "POST", headers, body });
  }
}

/** A message, or an empty object: invalid JSON is the server's to refuse. */
// deno-lint-ignore no-explicit-any -- the server validates it
function readMessage(line: string): any {
  try {
    return Object(JSON.parse(line));
  } catch {
    return {};
  }
}

/** The messages of an answer: none, one, or those of its events. */
async function messagesOf(response: Response): Promise<string[]> {
  const text = await response.text();
  if (response.headers.get("Content-Type")?.startsWith("text/event-stream")) {
    return Array.from(text.matchAll(/^data: ?(.+)$/gm), ([, data]) => data!);
  }
  const { jsonrpc, detail } = readMessage(text);
  if (text !== "" && jsonrpc === undefined) throw new Error(detail ?? `Status ${response.status}`);
  return text === "" ? [] : [text.replaceAll("\n", " ")];
}
