/** Pages with nothing but Sentry's SDK, as its documentation starts it: what an error costs without this project. */
import * as esbuild from "esbuild";
import { projectRoot } from "../tools/project_files.ts";

const init = (options: string) => `
  import * as Sentry from "@sentry/react";
  Sentry.init({ dsn: location.origin.replace("//", "//key@") + "/1", tunnel: "/envelopes", ${options} });`;

/** Source text by path. */
const PAGES = {
  "/errors": init(""),
  "/all": init(`
    integrations: [Sentry.browserTracingIntegration(), Sentry.replayIntegration()],
    tracesSampleRate: 1, replaysOnErrorSampleRate: 1`),
};

/** A server of such pages, which takes and discards what they send. */
export interface PlainSentry extends AsyncDisposable {
  /** Errors only, and with tracing and recording. */
  readonly urls: Readonly<Record<"errors" | "all", string>>;
}

/** Bundles and serves the pages on a free port. */
export async function servePlainSentry(): Promise<PlainSentry> {
  const scripts = new Map<string, string>();
  for (const [path, contents] of Object.entries(PAGES)) {
    const { outputFiles } = await esbuild.build({
      stdin: { contents, resolveDir: projectRoot },
      bundle: true,
      minify: true,
      write: false,
      format: "esm",
    });
    scripts.set(`${path}.js`, outputFiles[0]!.text);
  }
  await esbuild.stop();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    if (request.method === "POST") {
      await request.arrayBuffer();
      return Response.json({});
    }
    const script = scripts.get(pathname);
    return script === undefined
      ? new Response(
        `<!doctype html><title>Sentry</title><script type="module" src="${pathname}.js"></script>`,
        { headers: { "content-type": "text/html" } },
      )
      : new Response(script, { headers: { "content-type": "text/javascript" } });
  });
  const origin = `http://127.0.0.1:${server.addr.port}`;
  return {
    urls: { errors: `${origin}/errors`, all: `${origin}/all` },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
