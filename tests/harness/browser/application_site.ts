import { build } from "esbuild";

/**
 * Code of an application that starts the SDK with everything sampled, and the recorder as `replay`. The DSN is in the
 * page's address.
 */
export const startSdk = (release: string, replayOptions: string): string => `
  import * as Sentry from "@sentry/browser";
  const replay = Sentry.replayIntegration({ minReplayDuration: 0, ${replayOptions} });
  Sentry.init({
    dsn: new URLSearchParams(location.search).get("dsn"),
    release: "${release}",
    tracesSampleRate: 1,
    replaysSessionSampleRate: 1,
    enableLogs: true,
    integrations: [Sentry.browserTracingIntegration(), replay],
  });
`;

/**
 * Serves a page of another application on a free port, at every path, as its developer builds it. It may be profiled.
 *
 * @param script its code, served as `/app.js`; bundled, so that it may import `@sentry/browser`
 * @param page its HTML
 * @param packages the folder from which packages are resolved; default: this project's
 */
export async function serveApplication(
  script: string,
  page: string,
  packages = new URL(".", import.meta.url).pathname,
) {
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: packages },
    bundle: true,
    format: "esm",
    conditions: ["development"],
    write: false,
  });
  const bundle = outputFiles[0]!.text;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, ({ url }) => {
    const isScript = new URL(url).pathname === "/app.js";
    const type = isScript ? "text/javascript" : "text/html";
    const headers = { "Content-Type": type, "Document-Policy": "js-profiling" };
    return new Response(isScript ? bundle : page, { headers });
  });
  return { port: server.addr.port, [Symbol.asyncDispose]: () => server.shutdown() };
}
