import assert from "node:assert/strict";
import { zstdCompressSync } from "node:zlib";
import { admittedGzip, eventEnvelope } from "../../monitoring/inbox/testdata/envelopes.ts";
import { createInboxApi, type InboxApi } from "../../islands/data/inbox_api.ts";
import { until } from "../harness/until.ts";
import { type InboxServerOptions, startInboxServer } from "./_inbox_server.ts";

/** Runs a test with an API of a real inbox and its endpoint. */
async function withApi(
  work: (parts: { api: InboxApi; server: ReturnType<typeof startInboxServer> }) => unknown,
  options?: InboxServerOptions,
): Promise<void> {
  await using server = startInboxServer(options);
  const api = createInboxApi(server.url);
  try {
    await work({ api, server });
  } finally {
    api.close();
  }
}

const untilState = (api: InboxApi, state: string) =>
  until(`the API is ${state}`, () => api.snapshot().state === state);

Deno.test("envelope → decompressed bytes; unknown id → undefined", () =>
  withApi(async ({ api, server }) => {
    await server.inbox.store(admittedGzip(eventEnvelope(7)));
    assert.deepEqual(await api.envelope(1), eventEnvelope(7));
    assert.equal(await api.envelope(2), undefined);
  }));

Deno.test("zstd that the browser does not decompress → error for display", () =>
  withApi(async ({ api }) => {
    await assert.rejects(api.envelope(1), /zstd, which this browser cannot decompress/);
  }, { instead: () => new Response(new Uint8Array(zstdCompressSync("{}\n"))) }));

Deno.test("envelope over 64 MiB → error, not read to its end", () =>
  withApi(async ({ api }) => {
    await assert.rejects(api.envelope(1), /More than 64 MiB/);
  }, {
    instead: () => {
      const chunk = new Uint8Array(1024 * 1024);
      return new Response(new ReadableStream({ pull: (into) => into.enqueue(chunk) }));
    },
  }));

Deno.test("request refused → error with the server's message", () =>
  withApi(async ({ api }) => {
    await assert.rejects(api.list("logs", {}), /another machine/);
    await assert.rejects(api.envelope(1), /another machine/);
    await assert.rejects(api.clear(), /another machine/);
  }, { peer: "203.0.113.9" }));

Deno.test("answer stops in the middle → error; slow answer → read to its end", async () => {
  const bytes = eventEnvelope(1);
  let isStuck = true;
  const instead = () => {
    let sent = 0;
    return new Response(
      new ReadableStream({
        async pull(controller) {
          if (sent === 4 && isStuck) return await new Promise(() => {});
          if (sent === 4) {
            controller.enqueue(bytes.slice(4));
            return controller.close();
          }
          // In all longer than the timeout.
          await new Promise((resolve) => setTimeout(resolve, 400));
          controller.enqueue(bytes.slice(sent, ++sent));
        },
      }),
    );
  };
  await using server = startInboxServer({ instead });
  const api = createInboxApi(server.url, 1_500);
  await assert.rejects(api.envelope(1), { name: "InboxTimeoutError" });
  isStuck = false;
  assert.deepEqual(await api.envelope(1), bytes);
  api.close();
});

Deno.test("wrong token → false; right token → live in every tab, version changes", async () => {
  // Deno's fetch keeps no cookies: the stand-in opens the inbox for everyone.
  let isAllowed = false;
  const instead = (request: Request) => {
    isAllowed ||= request.headers.get("authorization") === "Bearer s3cret";
    return isAllowed ? undefined : Response.json({ detail: "No." }, { status: 403 });
  };
  await withApi(async ({ api, server }) => {
    const other = createInboxApi(server.url);
    api.subscribe(() => {});
    await untilState(api, "forbidden");
    other.subscribe(() => {});
    await untilState(other, "forbidden");
    const before = other.snapshot().version;
    assert.equal(await other.authorize("wrong"), false);
    assert.equal(await other.authorize("no header\n\u2603"), false);
    assert.equal(await other.authorize("s3cret"), true);
    await untilState(api, "live");
    await untilState(other, "live");
    assert.notEqual(other.snapshot().version, before);
    other.close();
  }, { instead });
});

Deno.test("list → requested with its filters", async () => {
  const asked: string[] = [];
  await withApi(async ({ api }) => {
    const page = await api.list("logs", {
      q: "a&b=é",
      level: "warn",
      trace: undefined,
      limit: 5,
    });
    assert.deepEqual(page, { rows: [], next: "4" });
    assert.deepEqual([...new URLSearchParams(asked[0])], [
      ["view", "logs"],
      ["q", "a&b=é"],
      ["level", "warn"],
      ["limit", "5"],
    ]);
  }, {
    instead(request) {
      asked.push(new URL(request.url).search);
      return Response.json({ rows: [], next: "4" });
    },
  });
});

Deno.test("page of a proxy instead of a list → error for display", () =>
  withApi(async ({ api }) => {
    const message = "The inbox did not answer with a list. Reload the page.";
    await assert.rejects(api.list("logs", {}), { message });
    await assert.rejects(api.importArchive!(new Blob()), { message: "The inbox answered 200." });
  }, {
    instead: () => new Response("<!doctype html>", { headers: { "Content-Type": "text/html" } }),
  }));
