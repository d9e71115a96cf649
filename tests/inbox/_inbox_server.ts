import { join } from "node:path";
import {
  createInboxEndpoint,
  type InboxEndpointOptions,
} from "../../monitoring/inbox/inbox_endpoint.ts";
import { Recent } from "../../monitoring/inbox/recent.ts";
import { SourceMapOrigins } from "../../monitoring/inbox/source_map_fetch.ts";
import { Inbox } from "../../monitoring/inbox/inbox.ts";
import { admitted, eventEnvelope } from "../../monitoring/inbox/testdata/envelopes.ts";

export interface InboxServerOptions extends Partial<Omit<InboxEndpointOptions, "inbox">> {
  readonly maxBytes?: number;
  /** Remote address for the endpoint. Default: the real one. */
  readonly peer?: string;
  /** An open inbox, which the caller closes. Default: a new one. */
  readonly inbox?: Inbox;
  readonly port?: number;
  /** Answers instead of the endpoint, to simulate failures; undefined: the endpoint answers. */
  readonly instead?: (request: Request) => Response | Promise<Response> | undefined;
}

/** Serves the inbox's endpoint with a SQLite file, on a free port of 127.0.0.1. */
export function startInboxServer(options: InboxServerOptions = {}) {
  const folder = options.inbox ? undefined : Deno.makeTempDirSync({ prefix: "inbox-" });
  const inbox = options.inbox ??
    new Inbox({ path: join(folder!, "inbox.sqlite"), maxBytes: options.maxBytes ?? 1024 * 1024 });
  const endpoint = createInboxEndpoint({
    maxEnvelopeBytes: 1024 * 1024,
    refusals: new Recent(),
    alerts: new Recent(),
    mapOrigins: new SourceMapOrigins([]),
    ...options,
    inbox,
  });
  const streams = { requested: 0, open: 0 };
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: options.port ?? 0, onListen() {} },
    (request, { remoteAddr, completed }) => {
      const substitute = options.instead?.(request);
      if (substitute) return substitute;
      if (request.headers.get("accept") === "text/event-stream") {
        streams.requested++;
        streams.open++;
        const closed = () => void streams.open--;
        completed.then(closed, closed);
      }
      return endpoint.handle(request, options.peer ?? (remoteAddr as Deno.NetAddr).hostname);
    },
  );
  const { port } = server.addr as Deno.NetAddr;
  return {
    /** URL of the endpoint. */
    url: `http://127.0.0.1:${port}/monitoring/inbox`,
    port,
    inbox,
    /** Number of streams requested so far, and open now. */
    streams,
    /** Stores one event for each number, whose id ends with it. */
    async store(...numbers: readonly number[]): Promise<void> {
      for (const n of numbers) await inbox.store(admitted(eventEnvelope(n)));
    },
    async [Symbol.asyncDispose]() {
      endpoint.endStreams();
      await server.shutdown();
      if (folder === undefined) return;
      inbox.close();
      Deno.removeSync(folder, { recursive: true });
    },
  };
}

export type InboxServer = ReturnType<typeof startInboxServer>;
