/** The server's answers to `GET /`, and its start. The page must be built. */
import { gzipSync } from "node:zlib";
import { startServer } from "../tests/server_process.ts";
import { SERVING_BUDGETS } from "./budgets.ts";
import { type Figure, figure, type Measured, ratio } from "./figures.ts";
import { serveVariant, WITHOUT_SERVER_TRACING } from "./page/variants.ts";
import { isInstalled } from "./programs.ts";
import { startNginxFile } from "./relay/nginx.ts";

/** Measured rounds. A first one, in which the servers compile their code, does not count. */
const ROUNDS = 5;
const ROUND_SECONDS = 2;
const CONNECTIONS = 32;
const STARTS = 5;

/** Pages per second, against nginx with the same bytes in a file; and the time of a start. */
export async function bench(): Promise<Measured[]> {
  return [await measureStart(), ...await measurePages()];
}

/** From the start of the process until it has answered a request for the page. */
async function measureStart(): Promise<Figure> {
  const times: number[] = [];
  for (let n = 0; n < STARTS; n++) {
    const start = performance.now();
    await using server = await startServer();
    const { ok, body } = await fetch(server.origin);
    if (!ok) throw new Error("The page was not served.");
    times.push(performance.now() - start);
    await body?.cancel();
  }
  return figure("warm start to the first answer", times, SERVING_BUDGETS.start);
}

async function measurePages(): Promise<Measured[]> {
  await using untraced = await serveVariant(WITHOUT_SERVER_TRACING);
  await using traced = await startServer();
  await using nginx = await isInstalled("nginx")
    ? await startNginxFile(await compressedPage(untraced.origin))
    : undefined;
  const rates = { untraced: [] as number[], traced: [] as number[], nginx: [] as number[] };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, server] of Object.entries({ untraced, nginx, traced })) {
      if (server === undefined) continue;
      const rate = await pagesPerSecond(server.origin);
      if (round > 0) rates[name as keyof typeof rates].push(rate);
    }
  }
  return [
    figure("root page, gzip, without server tracing", rates.untraced, "/s"),
    figure("root page, gzip, with server tracing", rates.traced, "/s"),
    ...nginx === undefined ? [{ what: "against nginx", missing: "needs nginx" }] : [
      figure("nginx, the same bytes in a file", rates.nginx, "/s"),
      ratio("root page against nginx", rates.untraced, rates.nginx, SERVING_BUDGETS.page),
    ],
    { what: "root page against Next.js", missing: "Next.js is not part of this repository" },
  ];
}

async function compressedPage(origin: string): Promise<Uint8Array<ArrayBuffer>> {
  // `fetch` decompresses. The server compresses with this level too.
  const page = await (await fetch(origin, { headers: { "Accept-Encoding": "gzip" } })).bytes();
  return new Uint8Array(gzipSync(page, { level: 9 }));
}

async function pagesPerSecond(origin: string): Promise<number> {
  const { stdout } = await new Deno.Command("wrk", {
    args: ["-t1", `-c${CONNECTIONS}`, `-d${ROUND_SECONDS}s`, "-H", "Accept-Encoding: gzip", origin],
  }).output();
  const output = new TextDecoder().decode(stdout);
  const rate = /^Requests\/sec:\s+([\d.]+)$/m.exec(output)?.[1];
  if (rate === undefined || output.includes("Non-2xx")) {
    throw new Error(`Cannot measure: not every page was served.\n${output}`);
  }
  return Number(rate);
}
