import assert from "node:assert/strict";
import { zstdCompressSync } from "node:zlib";
import { admittedGzip, eventEnvelope } from "../../monitoring/inbox/testdata/envelopes.ts";
import { InboxClient } from "../../islands/data/inbox.ts";
import { type InboxServerOptions, startInboxServer } from "./_inbox_server.ts";

/** Runs a test with a real inbox. */
async function withInbox(
  work: (inbox: InboxClient, server: ReturnType<typeof startInboxServer>) => unknown,
  options?: InboxServerOptions,
): Promise<void> {
  await using server = startInboxServer(options);
  await work(new InboxClient(server.url), server);
}

Deno.test("envelope → decompressed bytes; unknown id → undefined", () =>
  withInbox(async (inbox, server) => {
    await server.inbox.store(admittedGzip(eventEnvelope(7)));
    assert.deepEqual(await inbox.bytes(1), eventEnvelope(7));
    assert.equal(await inbox.bytes(2), undefined);
  }));

Deno.test("zstd that the browser does not decompress → error for display", () =>
  withInbox(async (inbox) => {
    await assert.rejects(inbox.bytes(1), /zstd, which this browser cannot decompress/);
  }, { instead: () => new Response(new Uint8Array(zstdCompressSync("{}\n"))) }));

Deno.test("envelope over 64 MiB → error, not read to its end", () =>
  withInbox(async (inbox) => {
    await assert.rejects(inbox.bytes(1), /More than 64 MiB/);
  }, {
    instead: () => {
      const chunk = new Uint8Array(1024 * 1024);
      return new Response(new ReadableStream({ pull: (into) => into.enqueue(chunk) }));
    },
  }));

Deno.test("request refused → error with the server's message", () =>
  withInbox(async (inbox) => {
    await assert.rejects(inbox.read("logs"), /another machine/);
    await assert.rejects(inbox.bytes(1), /another machine/);
    await assert.rejects(inbox.change("DELETE"), /another machine/);
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
  const inbox = new InboxClient(server.url, 1_500);
  await assert.rejects(inbox.bytes(1), { name: "InboxTimeoutError" });
  isStuck = false;
  assert.deepEqual(await inbox.bytes(1), bytes);
});

Deno.test("wrong token → false; right token → true", () =>
  withInbox(async (inbox) => {
    assert.equal(await inbox.authorize("wrong"), false);
    assert.equal(await inbox.authorize("no header\n\u2603"), false);
    assert.equal(await inbox.authorize("s3cret"), true);
  }, {
    instead: ({ headers }) =>
      headers.get("authorization") === "Bearer s3cret"
        ? undefined
        : Response.json({}, { status: 403 }),
  }));

Deno.test("list → requested with its filters", async () => {
  const asked: string[] = [];
  await withInbox(async (inbox) => {
    const page = await inbox.read("logs", {
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
  withInbox(async (inbox) => {
    const message = "The inbox did not answer with a list. Reload the page.";
    await assert.rejects(inbox.read("logs"), { message });
    await assert.rejects(inbox.importArchive(new Blob()), { message: "The inbox answered 200." });
  }, {
    instead: () => new Response("<!doctype html>", { headers: { "Content-Type": "text/html" } }),
  }));
