import { build } from "esbuild";

/** A running site; stops when it is disposed. */
export interface ApplicationSite extends AsyncDisposable {
  readonly port: number;
}

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
): Promise<ApplicationSite> {
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
