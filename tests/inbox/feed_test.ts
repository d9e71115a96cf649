import assert from "node:assert/strict";
import { join } from "node:path";
import { createInboxFeed, type InboxFeed } from "../../islands/shared/source/feed.ts";
import { openInbox } from "../../monitoring/inbox/store.ts";
import { startInboxServer, until } from "./_inbox_server.ts";

/** Tabs of one browser: feeds that share locks and channels. Each is closed at the end. */
class Tabs implements Disposable {
  readonly #feeds: InboxFeed[] = [];

  open(url: string, keep?: number): InboxFeed {
    const feed = createInboxFeed(url, { keep });
    feed.subscribe(() => {});
    this.#feeds.push(feed);
    return feed;
  }

  [Symbol.dispose](): void {
    for (const feed of this.#feeds) feed.close();
  }
}

const ids = (feed: InboxFeed) => feed.snapshot().rows.map((row) => row.id);
const shows = (feed: InboxFeed, ...expected: readonly number[]) =>
  until(
    `the feed shows ${expected}`,
    () => JSON.stringify(ids(feed)) === JSON.stringify(expected),
  );
const isIn = (feed: InboxFeed, state: string) =>
  until(`the feed is ${state}`, () => feed.snapshot().state === state);

Deno.test("a feed shows what is there and what arrives, newest first", async () => {
  await using server = startInboxServer();
  using tabs = new Tabs();
  await server.store(1, 2);
  const feed = tabs.open(server.url);
  assert.equal(feed.snapshot().state, "connecting");
  await shows(feed, 2, 1);
  await isIn(feed, "live");
  await server.store(3);
  await shows(feed, 3, 2, 1);
  assert.equal(feed.snapshot().total, 3);
});

Deno.test("a snapshot is the same object until something changes", async () => {
  await using server = startInboxServer();
  using tabs = new Tabs();
  const feed = tabs.open(server.url);
  await isIn(feed, "live");
  const before = feed.snapshot();
  assert.equal(feed.snapshot(), before);
  let changes = 0;
  const leave = feed.subscribe(() => changes++);
  await server.store(1);
  await shows(feed, 1);
  assert.notEqual(feed.snapshot(), before);
  assert.ok(changes > 0);
  leave();
});

Deno.test("nothing starts before the first subscriber", () => {
  const feed = createInboxFeed("http://127.0.0.1:9/monitoring/inbox");
  assert.deepEqual(feed.snapshot(), {
    state: "connecting",
    rows: [],
    total: 0,
    canStore: true,
  });
  feed.close();
});

Deno.test("at most one stream for each browser: tabs share it, the next one takes it over", async () => {
  await using server = startInboxServer();
  using tabs = new Tabs();
  const first = tabs.open(server.url);
  await isIn(first, "live");
  await server.store(1);
  const second = tabs.open(server.url);
  const third = tabs.open(server.url);
  await shows(second, 1);
  await shows(third, 1);
  await server.store(2);
  for (const tab of [first, second, third]) await shows(tab, 2, 1);
  assert.deepEqual(server.streams, { asked: 1, open: 1 });

  first.close();
  await server.store(3, 4);
  for (const tab of [second, third]) await shows(tab, 4, 3, 2, 1);
  await until("the first stream is gone", () => server.streams.open === 1);
  assert.equal(server.streams.asked, 2);
  assert.deepEqual(ids(first), [2, 1]);
});

Deno.test("of a full inbox the newest rows are listed, and the total tells of the others", async () => {
  await using server = startInboxServer();
  using tabs = new Tabs();
  await server.store(...Array.from({ length: 1_230 }, (_, n) => n));
  const feed = tabs.open(server.url, 100);
  await until("all is listed", () => ids(feed)[0] === 1_230);
  assert.deepEqual(ids(feed), Array.from({ length: 100 }, (_, n) => 1_230 - n));
  assert.equal(feed.snapshot().total, 1_230);
});

Deno.test("clear empties the inbox and every tab", async () => {
  await using server = startInboxServer();
  using tabs = new Tabs();
  await server.store(1, 2);
  const [first, second] = [tabs.open(server.url), tabs.open(server.url)];
  for (const tab of [first, second]) await shows(tab, 2, 1);
  await isIn(first, "live");
  await second.clear();
  for (const tab of [first, second]) await shows(tab);
  await server.store(3);
  for (const tab of [first, second]) await shows(tab, 4);
  assert.equal(first.snapshot().total, 1);
});

Deno.test("clear rejects with the server's sentence", async () => {
  await using server = startInboxServer({ peer: "203.0.113.9" });
  const feed = createInboxFeed(server.url);
  await assert.rejects(feed.clear(), /another machine/);
  feed.close();
});

Deno.test("a stream that breaks is taken up again without a gap or a double, in every tab", async () => {
  const folder = Deno.makeTempDirSync({ prefix: "inbox-" });
  const inbox = openInbox({ path: join(folder, "inbox.sqlite"), maxBytes: 1_000_000 });
  try {
    using tabs = new Tabs();
    let server = startInboxServer({ inbox });
    const { port, url } = server;
    await server.store(1);
    const [first, second] = [tabs.open(url), tabs.open(url)];
    for (const tab of [first, second]) await shows(tab, 1);
    await isIn(first, "live");
    await server[Symbol.asyncDispose]();
    for (const tab of [first, second]) await isIn(tab, "offline");
    server = startInboxServer({ inbox, port });
    await server.store(2, 3);
    for (const tab of [first, second]) await shows(tab, 3, 2, 1);
    for (const tab of [first, second]) await isIn(tab, "live");
    await server[Symbol.asyncDispose]();
  } finally {
    inbox.close();
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("a server whose inbox was deleted in between is shown as it is now, in every tab", async () => {
  using tabs = new Tabs();
  let first: InboxFeed, second: InboxFeed, port: number;
  {
    await using server = startInboxServer();
    port = server.port;
    await server.store(1, 2, 3);
    first = tabs.open(server.url);
    second = tabs.open(server.url);
    for (const tab of [first, second]) await shows(tab, 3, 2, 1);
    await isIn(first, "live");
  }
  await using server = startInboxServer({ port });
  await server.store(9);
  for (const tab of [first, second]) await shows(tab, 1);
  assert.equal(first.snapshot().total, 1);
});

Deno.test("forbidden until the token is entered, then live", async () => {
  // Deno's fetch keeps no cookies: a gate before an inbox without a token opens when the right one came.
  let entered = false;
  await using server = startInboxServer({
    instead: (request) => {
      entered ||= request.headers.get("authorization") === "Bearer s3cret";
      return entered ? undefined : Response.json({ error: "inbox_forbidden" }, { status: 403 });
    },
  });
  using tabs = new Tabs();
  await server.store(1);
  const [first, second] = [tabs.open(server.url), tabs.open(server.url)];
  for (const tab of [first, second]) await isIn(tab, "forbidden");
  assert.equal(server.streams.asked, 0);
  assert.equal(await second.authorize("wrong"), false);
  assert.equal(await second.authorize("no header\n\u2603"), false);
  assert.equal(await second.authorize("s3cret"), true);
  for (const tab of [first, second]) await shows(tab, 1);
  for (const tab of [first, second]) await isIn(tab, "live");
  assert.equal(server.streams.asked, 1);
});

Deno.test("without a server the feed is offline, and says so", async () => {
  using tabs = new Tabs();
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const feed = tabs.open(`http://127.0.0.1:${port}/monitoring/inbox`);
  await isIn(feed, "offline");
});
