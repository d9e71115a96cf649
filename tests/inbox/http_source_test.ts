import assert from "node:assert/strict";
import { zstdCompressSync } from "node:zlib";
import { admittedGzip, eventEnvelope } from "../../monitoring/inbox/testdata/envelopes.ts";
import { createInboxFeed } from "../../islands/shared/source/feed.ts";
import { createHttpSource, type HttpSource } from "../../islands/shared/source/http_source.ts";
import { type InboxServerOptions, startInboxServer, until } from "./_inbox_server.ts";

/** A source of a real inbox behind its real endpoint; both end with the test. */
async function withSource(
  work: (parts: { source: HttpSource; server: ReturnType<typeof startInboxServer> }) => unknown,
  options?: InboxServerOptions,
): Promise<void> {
  await using server = startInboxServer(options);
  const source = createHttpSource(server.url, createInboxFeed(server.url));
  try {
    await work({ source, server });
  } finally {
    source.close();
  }
}

const isIn = (source: HttpSource, state: string) =>
  until(`the source is ${state}`, () => source.snapshot().state === state);

Deno.test("the version rises when envelopes come and when they go", () =>
  withSource(async ({ source, server }) => {
    let calls = 0;
    source.subscribe(() => calls++);
    await isIn(source, "live");
    const start = source.snapshot().version;
    await server.store(1);
    await until("the envelope counts", () => source.snapshot().total === 1);
    const one = source.snapshot();
    assert.ok(one.version > start);
    assert.equal(source.snapshot(), one);
    await until("the listener was called", () => calls > 0);
    await source.clear();
    await until("it is gone", () => source.snapshot().total === 0);
    assert.ok(source.snapshot().version > one.version);
  }));

Deno.test("an envelope's bytes come decompressed, and those of one that is gone do not come", () =>
  withSource(async ({ source, server }) => {
    await server.inbox.store(admittedGzip(eventEnvelope(7)));
    assert.deepEqual(await source.envelope(1), eventEnvelope(7));
    assert.equal(await source.envelope(2), undefined);
  }));

Deno.test("zstd that nobody undoes is told, not shown", () =>
  withSource(async ({ source }) => {
    await assert.rejects(source.envelope(1), /zstd, which this browser does not read: download/);
  }, { instead: () => new Response(new Uint8Array(zstdCompressSync("{}\n"))) }));

Deno.test("an envelope that is too large to be shown is not read to its end", () =>
  withSource(async ({ source }) => {
    await assert.rejects(source.envelope(1), /More than 64 MiB/);
  }, {
    instead: () => {
      const piece = new Uint8Array(1024 * 1024);
      return new Response(new ReadableStream({ pull: (into) => into.enqueue(piece) }));
    },
  }));

Deno.test("a refusal's own sentence is the error", () =>
  withSource(async ({ source }) => {
    await assert.rejects(source.list("logs", {}), /another machine/);
    await assert.rejects(source.envelope(1), /another machine/);
  }, { peer: "203.0.113.9" }));

Deno.test("no server: offline, and what is asked for rejects with words", async () => {
  const closed = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${closed.addr.port}/monitoring/inbox`;
  closed.close();
  const source = createHttpSource(url, createInboxFeed(url));
  source.subscribe(() => {});
  await isIn(source, "offline");
  await assert.rejects(source.list("traces", {}), { message: "The inbox does not answer." });
  source.close();
});

Deno.test("inbox accepts and never answers → offline, each request fails with a message", async () => {
  const never = Promise.withResolvers<Response>();
  await using server = startInboxServer({ instead: () => never.promise });
  const source = createHttpSource(server.url, createInboxFeed(server.url, { silenceMs: 100 }), {
    silenceMs: 100,
  });
  source.subscribe(() => {});
  const silent = { name: "SilentInboxError" };
  await Promise.all([
    assert.rejects(source.list("traces", {}), silent),
    assert.rejects(source.envelopes({}), silent),
    assert.rejects(source.envelope(1), silent),
    assert.rejects(source.sourceMap("d"), silent),
    isIn(source, "offline"),
  ]);
  source.close();
  never.resolve(new Response());
});

Deno.test("answer stops in the middle → fails; answer is slow but continues → is read", async () => {
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
          // Longer in all than one silence may be.
          await new Promise((resolve) => setTimeout(resolve, 400));
          controller.enqueue(bytes.slice(sent, ++sent));
        },
      }),
    );
  };
  await using server = startInboxServer({ instead });
  const source = createHttpSource(server.url, createInboxFeed(server.url), { silenceMs: 1_500 });
  await assert.rejects(source.envelope(1), { name: "SilentInboxError" });
  isStuck = false;
  assert.deepEqual(await source.envelope(1), bytes);
  source.close();
});

Deno.test("what was asked for in vain is asked for again: the version rises when the inbox is back", async () => {
  let open = false;
  await withSource(async ({ source }) => {
    source.subscribe(() => {});
    await isIn(source, "forbidden");
    const before = source.snapshot().version;
    open = true;
    assert.equal(await source.authorize("right"), true);
    await isIn(source, "live");
    assert.ok(source.snapshot().version > before);
  }, { instead: () => open ? undefined : Response.json({ detail: "No." }, { status: 403 }) });
});

Deno.test("a list is asked for by its name with what narrows it, and hostile rows are left out", async () => {
  const asked: string[] = [];
  await withSource(async ({ source }) => {
    const page = await source.list("logs", {
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
      return Response.json({ rows: [{ body: "<script>" }, 7], next: "4" });
    },
  });
});

Deno.test("lists are the inbox's own: searched, narrowed, page by page", () =>
  withSource(async ({ source, server }) => {
    await server.store(1, 2, 3);
    const all = await source.envelopes({});
    assert.deepEqual(all.rows.map(({ id }) => id), [3, 2, 1]);
    assert.equal(all.next, null);
    const first = await source.envelopes({ limit: 2 });
    assert.deepEqual(first.rows.map(({ id }) => id), [3, 2]);
    const rest = await source.envelopes({ limit: 2, before: first.next! });
    assert.deepEqual(rest.rows.map(({ id }) => id), [1]);
    assert.deepEqual((await source.envelopes({ q: "NO. 2" })).rows.map(({ id }) => id), [2]);
    assert.deepEqual((await source.envelopes({ type: "log" })).rows, []);
    const [error] = (await source.list("occurrences", { limit: 1 })).rows;
    assert.deepEqual([error?.envelope, error?.value], [3, "no. 3"]);
  }));
