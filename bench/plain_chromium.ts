/**
 * A Chromium without Playwright, which turns on domains of the inspector in every page: with them an error and a request
 * take about twice the main-thread time.
 */
import { CHROMIUM_ARGS, requireChromium } from "../tools/test/find_chromium.ts";

/** A page, controlled over the Chrome DevTools Protocol. */
export interface PlainPage {
  open(url: string): Promise<void>;
  /** The value of an expression, once its promise has resolved. */
  evaluate<T>(expression: string): Promise<T>;
  /** Slows the main thread down by this factor. */
  throttle(rate: number): Promise<void>;
  /** Milliseconds of all tasks of the main thread so far. */
  taskTime(): Promise<number>;
  /** A throttled page uses a core completely, also while it waits: close it before another is measured. */
  close(): Promise<void>;
}

export interface PlainChromium extends AsyncDisposable {
  newPage(): Promise<PlainPage>;
}

/** Starts a Chromium with an empty profile. */
export async function startPlainChromium(): Promise<PlainChromium> {
  const profile = await Deno.makeTempDir({ prefix: "bench-" });
  const child = new Deno.Command(await requireChromium(), {
    args: [
      ...CHROMIUM_ARGS,
      "--headless=new",
      "--remote-debugging-port=0",
      `--user-data-dir=${profile}`,
    ],
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const origin = await debuggerOrigin(child.stderr);
  return {
    async newPage() {
      const response = await fetch(`${origin}/json/new?about:blank`, { method: "PUT" });
      const { id, webSocketDebuggerUrl } = await response.json();
      return {
        ...await connect(webSocketDebuggerUrl),
        async close() {
          await (await fetch(`${origin}/json/close/${id}`)).text();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
      await Deno.remove(profile, { recursive: true });
    },
  };
}

/** Reads the debugger's address from Chromium's output. The rest, a few lines, is not read. */
async function debuggerOrigin(
  output: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<string> {
  const reader = output.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    text += read.value;
    const found = /ws:\/\/([^/\s]+)\//.exec(text);
    if (!found) continue;
    reader.releaseLock();
    return `http://${found[1]}`;
  }
  throw new Error(`Cannot start Chromium: ${text}`);
}

interface Answer {
  readonly id: number;
  readonly error?: { readonly message: string };
  readonly result: {
    readonly result?: { readonly value: unknown };
    readonly exceptionDetails?: { readonly text: string };
    readonly metrics?: readonly { readonly name: string; readonly value: number }[];
  };
}

async function connect(url: string): Promise<Omit<PlainPage, "close">> {
  const socket = new WebSocket(url);
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.onmessage = ({ data }) => {
    const answer: Answer = JSON.parse(data);
    waiting.get(answer.id)?.(answer);
  };
  await new Promise((opened) => socket.onopen = opened);
  let lastId = 0;
  async function send(method: string, params: unknown = {}): Promise<Answer["result"]> {
    const id = ++lastId;
    const { error, result } = await new Promise<Answer>((answered) => {
      waiting.set(id, answered);
      socket.send(JSON.stringify({ id, method, params }));
    });
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }
  await send("Performance.enable");
  return {
    async open(url) {
      await send("Page.navigate", { url });
    },
    async evaluate<T>(expression: string) {
      const { result, exceptionDetails } = await send("Runtime.evaluate", {
        expression,
        awaitPromise: true,
        returnByValue: true,
      });
      if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.text}`);
      return result!.value as T;
    },
    async throttle(rate) {
      await send("Emulation.setCPUThrottlingRate", { rate });
    },
    async taskTime() {
      const { metrics } = await send("Performance.getMetrics");
      return 1000 * metrics!.find(({ name }) => name === "TaskDuration")!.value;
    },
  };
}
