import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { fresh } from "../relay/_start_relay.ts";
import type { HostileAnswer } from "./hostile_answer.ts";

const HOUR_MS = 3_600_000;
/** Far above what any answer takes: a longer wait is a hang. */
const ANSWER_MS = 20_000;

/** Every header that may reach the client, with all values that it may have. */
const MAY_REACH: Readonly<Record<string, RegExp>> = {
  "content-type": /^(application\/json|text\/plain;charset=utf-8)$/,
  "content-length": /^\d{1,5}$/,
  "x-relay-outcome": /^(delivered|rejected|rate_limited)$/,
  "x-sentry-error": /^[\x20-\x7e\xa0-\xff]{1,512}$/,
  "x-sentry-rate-limits":
    /^\d{1,4}:[\w;]*(:[\w.;-]{0,64}){0,3}(, \d{1,4}:[\w;]*(:[\w.;-]{0,64}){0,3})*$/,
  "retry-after": /^([1-9]\d{0,2}|[12]\d{3}|3[0-5]\d{2}|3600)$/,
  "vary": /^[\x20-\x7e]*$/,
  "date": /^[\x20-\x7e]*$/,
  "connection": /^close$/,
};
/** Two headers of at most 2,000 and 512 characters, and a few that are short. */
const MAX_HEAD_BYTES = 3_000;
const MAX_BODY_BYTES = 64 * 1024;

/** The real relay in a process of its own, and an ingest that answers it as generated. */
export interface FuzzedIngest {
  /** How envelopes ended so far, as `status outcome`. */
  readonly endings: ReadonlyMap<string, number>;
  /**
   * Posts an envelope that gets this answer, then one that gets a good one, then one an hour later.
   *
   * @throws {Error} naming the answer, also when the relay's process has ended
   */
  check(answer: HostileAnswer): Promise<void>;
  /** Bytes in use in the relay's process, after collection. */
  memoryInUse(): Promise<number>;
  [Symbol.asyncDispose](): Promise<void>;
}

export function startFuzzedIngest(): FuzzedIngest {
  const ingest = new RawIngest();
  const endings = new Map<string, number>();
  let child: RelayChild | undefined;

  const running = async () => {
    if (child === undefined || child.hasEnded) child = await RelayChild.start(ingest.origin);
    return child;
  };

  async function check(answer: HostileAnswer): Promise<void> {
    const relay = await running();
    ingest.answer = answer;
    const first = await relay.post();
    ingest.answer = undefined;
    const ending = `${first.status} ${first.headers["x-relay-outcome"] ?? ""}`;
    endings.set(ending, (endings.get(ending) ?? 0) + 1);
    expectFirst(first, answer);

    const asked = ingest.requests;
    const second = await relay.post();
    expectHeld(second, answer, ingest.requests > asked);

    await relay.moveAhead(HOUR_MS);
    expectGood(await relay.post(), "a limit holds for more than an hour");
    const { inFlight } = await relay.levels();
    assert.equal(inFlight, 0, "bytes stay in flight");
  }

  return {
    endings,
    async check(answer) {
      try {
        await check(answer);
      } catch (error) {
        throw new Error(
          `${(error as Error).message}\nmade: ${answer.made}\n` +
            `wire, ${answer.wire.length} bytes, in base64: ${
              answer.wire.subarray(0, 4_000).toBase64()
            }`,
          { cause: error },
        );
      }
    },
    memoryInUse: async () => (await (await running()).levels()).bytes,
    async [Symbol.asyncDispose]() {
      await child?.stop();
      await ingest.close();
    },
  };
}

/** The answer that reached the client, byte by byte. */
interface Reached {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Checks the answer to the envelope that got the hostile one. */
function expectFirst(reached: Reached, answer: HostileAnswer): void {
  const { status, headers, body } = reached;
  const outcome = headers["x-relay-outcome"];
  if (status === 503) {
    assert.ok(
      answer.reading === "undecided" || answer.mayBeRefused,
      `503, but the ingest decided: ${answer.reading}`,
    );
    assert.equal(outcome, "rejected");
    assert.equal(headers["retry-after"], undefined);
    assert.equal(JSON.parse(new TextDecoder().decode(body)).error, "spool_unavailable");
    return;
  }
  // The runtime cannot end a 205 so that a client sees it: the server sends it as 204.
  const expected = answer.status === 205 ? 204 : answer.status;
  assert.equal(status, expected, "another status than the ingest's");
  assert.equal(outcome, answer.reading);
  assert.equal(headers["retry-after"] !== undefined, status === 429);
  if (answer.body !== undefined) {
    assert.deepEqual(body, answer.body, "another body than the ingest's");
  }
}

/** Checks the next envelope: held exactly if the hostile answer announced a limit that holds it. */
function expectHeld(
  reached: Reached,
  { holdSeconds, mayBeRefused }: HostileAnswer,
  wasAsked: boolean,
): void {
  const isHeld = reached.status === 429;
  // A client that refuses an answer as a whole has learned nothing from it.
  if (!mayBeRefused) assert.equal(isHeld, holdSeconds > 0, `announced: ${holdSeconds} s`);
  if (!isHeld) return expectGood(reached, "the next envelope is not delivered");
  assert.ok(!wasAsked, "the ingest was asked while a limit holds");
  assert.equal(reached.headers["x-relay-outcome"], "rate_limited");
  if (!mayBeRefused) {
    assert.equal(reached.headers["retry-after"], `${Math.max(1, Math.ceil(holdSeconds))}`);
  }
}

/** A good answer is passed on: nothing of the hostile one before it is taken for it. */
function expectGood({ status, headers, body }: Reached, otherwise: string): void {
  assert.equal(status, 200, otherwise);
  assert.equal(headers["x-relay-outcome"], "delivered", otherwise);
  assert.equal(new TextDecoder().decode(body), GOOD_BODY, "the body of an earlier answer");
}

const GOOD_BODY = '{"id":"of a good answer"}';
const GOOD = new TextEncoder().encode(
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${GOOD_BODY.length}\r\n\r\n${GOOD_BODY}`,
);

/** An ingest on bare sockets that breaks every rule it is asked to break. */
class RawIngest {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #open = new Set<Deno.Conn>();
  /** The answer to the next requests; undefined: a good one. */
  answer: HostileAnswer | undefined;
  requests = 0;

  constructor() {
    void this.#acceptAll();
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#listener.addr as Deno.NetAddr).port}`;
  }

  async #acceptAll(): Promise<void> {
    for await (const connection of this.#listener) {
      this.#open.add(connection);
      this.#serve(connection).catch(() => {}).finally(() => {
        this.#open.delete(connection);
        closeQuietly(connection);
      });
    }
  }

  async #serve(connection: Deno.Conn): Promise<void> {
    const reader = new RequestSkipper(connection);
    while (await reader.begun()) {
      this.requests++;
      const { answer } = this;
      if (answer === undefined) {
        if (!await reader.skip()) return;
        await writeAll(connection, GOOD);
        continue;
      }
      // Closing with unread bytes makes the system send a reset.
      const first = answer.early || answer.then === "reset";
      if (!first && !await reader.skip()) return;
      await writeAll(connection, answer.wire);
      if (answer.then === "close" || answer.then === "reset") return;
      if (first && !await reader.skip()) return;
    }
  }

  async close(): Promise<void> {
    closeQuietly(this.#listener);
    for (const connection of this.#open) closeQuietly(connection);
    await Promise.resolve();
  }
}

/** Reads past requests. */
class RequestSkipper {
  #held = "";
  readonly #buffer = new Uint8Array(64 * 1024);

  constructor(readonly connection: Deno.Conn) {}

  /** Waits for more bytes; false: the other side has closed. */
  async more(): Promise<boolean> {
    // A chunk small enough that bytes of the request stay unread.
    const count = await this.connection.read(this.#buffer.subarray(0, 64));
    if (count === null) return false;
    this.#held += String.fromCharCode(...this.#buffer.subarray(0, count));
    return true;
  }

  /** Waits for the first byte of a request. */
  async begun(): Promise<boolean> {
    return this.#held !== "" || await this.more();
  }

  /** Reads to the end of the request. */
  async skip(): Promise<boolean> {
    for (;;) {
      const end = this.#held.indexOf("\r\n\r\n") + 4;
      const length = Number(/content-length: (\d+)/i.exec(this.#held.slice(0, end))?.[1] ?? 0);
      if (end >= 4 && this.#held.length >= end + length) {
        this.#held = this.#held.slice(end + length);
        return true;
      }
      if (!await this.more()) return false;
    }
  }
}

/** The process of the relay. */
class RelayChild {
  readonly #process: Deno.ChildProcess;
  readonly #printed: Promise<string>;
  readonly #relay: { readonly hostname: string; readonly port: number };
  readonly #controls: string;
  hasEnded = false;

  private constructor(process: Deno.ChildProcess, relay: string, controls: string) {
    this.#process = process;
    this.#printed = new Response(process.stderr).text();
    const [hostname = "", port] = relay.split(":");
    this.#relay = { hostname, port: Number(port) };
    this.#controls = `http://${controls}/`;
    void process.status.then(() => this.hasEnded = true);
  }

  static async start(upstream: string): Promise<RelayChild> {
    const module = fileURLToPath(new URL("_relay_child.ts", import.meta.url));
    const process = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--no-prompt",
        "--allow-net=127.0.0.1",
        "--v8-flags=--expose-gc",
        module,
        upstream,
      ],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      env: { NO_COLOR: "1" },
    }).spawn();
    let printed = "";
    for await (const chunk of process.stdout.values({ preventCancel: true })) {
      printed += new TextDecoder().decode(chunk);
      if (printed.includes("\n")) break;
    }
    // Later output, about memory of broken brotli for example, must not fill the pipe.
    void process.stdout.pipeTo(new WritableStream());
    const [relay = "", controls = ""] = printed.trim().split(" ");
    return new RelayChild(process, relay, controls);
  }

  /** Posts an envelope of one event that is no duplicate, and reads the answer to its last byte. */
  async post(): Promise<Reached> {
    const body = fresh();
    const connection = await this.#alive(Deno.connect(this.#relay));
    try {
      const head = new TextEncoder().encode(
        `POST /monitoring HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n`,
      );
      await writeAll(connection, head);
      await writeAll(connection, body);
      return parse(await this.#alive(within(new Response(connection.readable).bytes())));
    } finally {
      closeQuietly(connection);
    }
  }

  async moveAhead(ms: number): Promise<void> {
    const response = await this.#alive(fetch(`${this.#controls}?ms=${ms}`, { method: "POST" }));
    await response.body?.cancel();
  }

  async levels(): Promise<{ readonly bytes: number; readonly inFlight: number }> {
    return await (await this.#alive(fetch(this.#controls))).json();
  }

  async stop(): Promise<void> {
    if (this.hasEnded) await this.#process.stdin.close().catch(() => {});
    else await this.#process.stdin.close();
    await this.#process.status;
    await this.#printed;
  }

  /** Turns the end of the relay's process during a request into an error that states how it ended. */
  async #alive<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      // Its end is known a moment after its connections are.
      const end = await Promise.race([
        this.#process.status,
        within(new Promise<never>(() => {}), 500),
      ])
        .catch(() => undefined);
      if (end === undefined) throw error;
      this.hasEnded = true;
      throw new Error(
        `The relay's process has ended (${end.signal ?? end.code}): ${await this.#printed}`,
      );
    }
  }
}

/** Reads an answer without the leniency of `fetch`; fails on everything that is not allowed. */
function parse(bytes: Uint8Array): Reached {
  assert.ok(bytes.length > 0, "no answer");
  const text = String.fromCharCode(...bytes.subarray(0, 2 * MAX_HEAD_BYTES));
  const end = text.indexOf("\r\n\r\n");
  assert.ok(end >= 0 && end <= MAX_HEAD_BYTES, `a head of ${end} bytes`);
  const [statusLine = "", ...lines] = text.slice(0, end).split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3})( [\x20-\x7e]*)?$/.exec(statusLine)?.[1]);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name = "", value = ""] = /^([a-zA-Z-]+): ?(.*)$/.exec(line) ?? [];
    const allowed = MAY_REACH[name.toLowerCase()];
    assert.ok(allowed?.test(value), `${JSON.stringify(line)} may not reach the client`);
    assert.equal(headers[name.toLowerCase()], undefined, `${name} comes twice`);
    headers[name.toLowerCase()] = value;
  }
  for (const limit of (headers["x-sentry-rate-limits"] ?? "0:").split(", ")) {
    assert.ok(Number.parseInt(limit) <= HOUR_MS / 1_000, `a limit of more than an hour: ${limit}`);
  }
  const body = bytes.subarray(end + 4);
  assert.ok(body.length <= MAX_BODY_BYTES, `a body of ${body.length} bytes`);
  assert.equal(headers["content-length"] ?? "0", `${body.length}`, "a body of another length");
  return { status, headers, body };
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

async function within<T>(work: Promise<T>, ms = ANSWER_MS): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`No answer in ${ms} ms`)), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function closeQuietly(resource: { close(): void }): void {
  try {
    resource.close();
  } catch (error) {
    // The other side, or the stream that read it, was faster.
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}
