import { join } from "node:path";
import { createInboxEndpoint, type InboxEndpointOptions } from "../../monitoring/inbox/http.ts";
import { type Inbox, openInbox } from "../../monitoring/inbox/store.ts";
import { admitted, eventEnvelope } from "../../monitoring/inbox/testdata/envelopes.ts";

export interface InboxServer extends AsyncDisposable {
  /** Of the endpoint, by the name `127.0.0.1`. */
  readonly url: string;
  readonly port: number;
  readonly inbox: Inbox;
  /** Streams that were asked for so far, and that are open. */
  readonly streams: { asked: number; open: number };
  /** Stores events whose ids end with these numbers. */
  store(...numbers: readonly number[]): Promise<void>;
  /** Cuts the live streams, as a server that stops does. */
  endStreams(): void;
}

export interface InboxServerOptions extends Partial<Omit<InboxEndpointOptions, "inbox">> {
  readonly maxBytes?: number;
  /** What the connection's other end counts as; else what it is. */
  readonly peer?: string;
  /** An inbox that is open already, and that the caller closes. */
  readonly inbox?: Inbox;
  readonly port?: number;
  /** Answers in place of the endpoint, to play a server that has troubles. */
  readonly instead?: (request: Request) => Response | Promise<Response> | undefined;
}

/** The inbox's real endpoint and file on a real server, on a free port of the loopback. */
export function startInboxServer(options: InboxServerOptions = {}): InboxServer {
  const folder = options.inbox ? undefined : Deno.makeTempDirSync({ prefix: "inbox-" });
  const inbox = options.inbox ??
    openInbox({ path: join(folder!, "inbox.sqlite"), maxBytes: options.maxBytes ?? 1024 * 1024 });
  const endpoint = createInboxEndpoint({ maxEnvelopeBytes: 1024 * 1024, ...options, inbox });
  const streams = { asked: 0, open: 0 };
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: options.port ?? 0, onListen() {} },
    (request, { remoteAddr, completed }) => {
      const substitute = options.instead?.(request);
      if (substitute) return substitute;
      if (request.headers.get("accept") === "text/event-stream") {
        streams.asked++;
        streams.open++;
        const gone = () => void streams.open--;
        completed.then(gone, gone);
      }
      return endpoint.handle(request, options.peer ?? (remoteAddr as Deno.NetAddr).hostname);
    },
  );
  const { port } = server.addr as Deno.NetAddr;
  return {
    url: `http://127.0.0.1:${port}/monitoring/inbox`,
    port,
    inbox,
    streams,
    async store(...numbers) {
      for (const n of numbers) await inbox.store(admitted(eventEnvelope(n)));
    },
    endStreams: () => endpoint.endStreams(),
    async [Symbol.asyncDispose]() {
      endpoint.endStreams();
      await server.shutdown();
      if (folder === undefined) return;
      inbox.close();
      Deno.removeSync(folder, { recursive: true });
    },
  };
}

/** Resolves when `holds` does, asked again and again; what it waits for stands in the error that ends a vain wait. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Waited in vain until ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
