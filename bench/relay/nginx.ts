import { findStablePort } from "../../tests/stable_port.ts";
import type { BenchServer } from "./bench_server.ts";

/**
 * One process, as the other servers are, whose CPU time is measured by its id. Bodies in memory: files would slow it
 * down.
 */
const config = (servers: string) => `
daemon off;
master_process off;
pid nginx.pid;
error_log stderr error;
events { worker_connections 1024; }
http {
  access_log off;
  client_max_body_size 20m;
  client_body_buffer_size 1m;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  keepalive_requests 1000000;
  ${servers}
}
`;

/** nginx as a relay that checks nothing. */
export function startNginx(ingestOrigin: string): Promise<BenchServer> {
  return start((port) => `
  upstream ingest {
    server ${new URL(ingestOrigin).host};
    keepalive 64;
    keepalive_requests 1000000;
  }
  server {
    listen 127.0.0.1:${port};
    location = /monitoring {
      proxy_pass http://ingest/api/42/envelope/;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }`);
}

/** nginx as the ingest: answers as Sentry's does and discards the bodies. */
export function startNginxIngest(): Promise<BenchServer> {
  return start((port) => `
  server {
    listen 127.0.0.1:${port};
    location / {
      default_type application/json;
      return 200 '{"id":"9ec79c33ec9942ab8353589fcb2e04dc"}';
    }
  }`);
}

/** nginx as a file server: answers every request with these bytes, as compressed HTML. */
export function startNginxFile(compressed: Uint8Array<ArrayBuffer>): Promise<BenchServer> {
  const servers = (port: number) => `
  sendfile on;
  tcp_nopush on;
  open_file_cache max=10;
  types { text/html html; }
  server {
    listen 127.0.0.1:${port};
    location / {
      gzip_static always;
      try_files /page.html =404;
    }
  }`;
  return start(servers, { "page.html": new Uint8Array(), "page.html.gz": compressed });
}

async function start(
  servers: (port: number) => string,
  files: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {},
): Promise<BenchServer> {
  const folder = await Deno.makeTempDir({ prefix: "bench-nginx-" });
  // The worker process may belong to another user.
  await Deno.chmod(folder, 0o755);
  await Deno.mkdir(`${folder}/html`);
  for (const [name, bytes] of Object.entries(files)) {
    await Deno.writeFile(`${folder}/html/${name}`, bytes);
  }
  const port = findStablePort();
  await Deno.writeTextFile(`${folder}/nginx.conf`, config(servers(port)));
  const origin = `http://127.0.0.1:${port}`;
  const child = new Deno.Command("nginx", { args: ["-p", folder, "-c", "nginx.conf"] }).spawn();
  const stop = async () => {
    child.kill("SIGTERM");
    await child.status;
    await Deno.remove(folder, { recursive: true });
  };
  try {
    await waitUntilReady(origin, child);
  } catch (error) {
    await stop();
    throw error;
  }
  return { origin, pid: child.pid, [Symbol.asyncDispose]: stop };
}

async function waitUntilReady(origin: string, child: Deno.ChildProcess): Promise<void> {
  let ended = false;
  child.status.then(() => ended = true);
  while (!ended) {
    try {
      const answer = await fetch(`${origin}/monitoring`, { method: "POST", body: "{}" });
      await answer.body?.cancel();
      return;
    } catch {
      // Not yet.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  throw new Error("Cannot measure: nginx ended before it listened.");
}
