/**
 * The relay's connection pool, and maintained HTTP clients behind its interface, for `deno task bench --only=clients`.
 * They do less, so their figures are lower bounds: no overall deadline, no abort signal, no retries, no check for surplus
 * bytes; `beforeSending` is called before there is a connection.
 */
import { Buffer } from "node:buffer";
import http from "node:http";
import type { Duplex } from "node:stream";
import { type Dispatcher, Pool } from "undici";
import type {
  ConnectionPool,
  PooledRequest,
} from "../../monitoring/relay/send/http/connection_pool.ts";
import type { HttpResponse } from "../../monitoring/relay/send/http/response_reader.ts";
import { duplexOf } from "../../monitoring/relay/send/http/tls_stream.ts";
import {
  createConnectionPool,
  MAX_CONNECTIONS,
} from "../../monitoring/relay/send/ingest_client.ts";

type Connections = Pick<ConnectionPool, "post" | "abort">;

const POOL = { connections: MAX_CONNECTIONS, pipelining: 1 };

/** Client by its name in the report. */
export const CLIENTS: Readonly<Record<string, (origin: string) => Connections>> = {
  "relay connection pool": () => createConnectionPool(),
  "node:http agent": nodeHttp,
  "undici request": undiciRequest,
  "undici dispatch": (origin) => undiciDispatch(new Pool(origin, POOL)),
  // `node:net` needs a permission for each address of a name, so the relay would have to use this one.
  "undici dispatch over Deno.connect": (origin) =>
    // The type requires a `Socket`; undici uses only what every `Duplex` has.
    undiciDispatch(new Pool(origin, { ...POOL, connect: connectByDeno as never })),
};

function nodeHttp(): Connections {
  const agent = new http.Agent({
    keepAlive: true,
    maxSockets: MAX_CONNECTIONS,
    scheduling: "lifo",
  });
  return {
    post: ({ url, headers, body, timeoutMs: timeout, beforeSending }) =>
      new Promise<HttpResponse>((resolve, reject) => {
        beforeSending?.();
        const options = {
          agent,
          method: "POST",
          headers: { ...headers, "content-length": body.length },
          timeout,
        };
        const request = http.request(url, options, (response) => {
          const chunks: Uint8Array[] = [];
          response.on("data", (chunk) => chunks.push(chunk));
          response.on(
            "end",
            // The status is undefined only for requests that a server receives.
            () => resolve(toResponse(response.statusCode!, response.headers, chunks)),
          );
          response.on("error", reject);
        });
        request.on("error", reject);
        request.end(body);
      }),
    abort: () => agent.destroy(),
  };
}

function undiciRequest(origin: string): Connections {
  const pool = new Pool(origin, POOL);
  return {
    async post(request) {
      request.beforeSending?.();
      const { statusCode, headers, body } = await pool.request(requestOptions(request));
      return toResponse(statusCode, headers, [new Uint8Array(await body.arrayBuffer())]);
    },
    abort: () => void pool.destroy(),
  };
}

/** Undici's lowest-level interface, without streams. */
function undiciDispatch(pool: Pool): Connections {
  return {
    post: (request) =>
      new Promise<HttpResponse>((resolve, reject) => {
        request.beforeSending?.();
        let status = 0;
        let headers: HeaderFields = {};
        const chunks: Uint8Array[] = [];
        pool.dispatch(requestOptions(request), {
          onRequestStart: () => {},
          onResponseStart(_controller, statusCode, received) {
            status = statusCode;
            headers = received;
          },
          onResponseData: (_controller, chunk) => void chunks.push(chunk),
          onResponseEnd: () => resolve(toResponse(status, headers, chunks)),
          onResponseError: (_controller, error) => reject(error),
        });
      }),
    abort: () => void pool.destroy(),
  };
}

function requestOptions({ url, headers, body, timeoutMs }: PooledRequest) {
  return {
    method: "POST",
    path: url.pathname + url.search,
    headers: { ...headers },
    body,
    headersTimeout: timeoutMs,
  } satisfies Dispatcher.RequestOptions;
}

function connectByDeno(
  { hostname, port }: { hostname: string; port: string },
  done: (error: Error | null, socket: Duplex | null) => void,
): void {
  Deno.connect({ hostname, port: Number(port) || 80 }).then((connection) => {
    connection.setNoDelay(true);
    done(null, duplexOf(connection));
  }, (error) => done(error, null));
}

type HeaderFields = Readonly<Record<string, string | string[] | undefined>>;

function toResponse(
  status: number,
  fields: HeaderFields,
  chunks: readonly Uint8Array[],
): HttpResponse {
  return {
    status,
    headers: {
      get(name) {
        const value = fields[name];
        return value === undefined ? null : String(value);
      },
    },
    body: new Uint8Array(Buffer.concat(chunks)),
  };
}
