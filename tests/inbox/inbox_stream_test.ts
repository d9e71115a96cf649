import assert from "node:assert/strict";
import { join } from "node:path";
import { InboxClient } from "../../islands/data/inbox.ts";
import { InboxStateStore } from "../../islands/data/inbox_state.ts";
import { watchInbox } from "../../islands/data/inbox_stream.ts";
import type { GroupAlert } from "../../monitoring/models/error/error_row.ts";
import { admitted, envelopeOf, error } from "../../monitoring/inbox/testdata/envelopes.ts";
import { Recent } from "../../monitoring/inbox/recent.ts";
import { Inbox } from "../../monitoring/inbox/inbox.ts";
import { findStablePort } from "../harness/stable_port.ts";
import { until } from "../harness/until.ts";
import { startInboxServer } from "./_inbox_server.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";

/** A tab's state, and its part in the stream. */
type Tab = ReturnType<typeof openTab>;

const OFF = {
  isOn: () => false,
  areErrorsVisible: () => false,
  subscribe: () => () => {},
  show() {},
};

function openTab(
  url: string,
  page: FakePage,
  notifications: Parameters<typeof watchInbox>[3] = OFF,
) {
  const store = new InboxStateStore();
  const reconnect = watchInbox(new InboxClient(url), store, page, notifications);
  return { store, reconnect, close: () => page.set(true) };
}

/** Tabs of one browser, which share locks and channels. Closed at the end. */
class Tabs implements Disposable {
  readonly #tabs: Tab[] = [];

  open(url: string, page = new FakePage()): Tab {
    const tab = openTab(url, page);
    this.#tabs.push(tab);
    return tab;
  }

  [Symbol.dispose](): void {
    for (const tab of this.#tabs) tab.close();
  }
}

/** A replacement for a browser's `document`. */
class FakePage extends EventTarget {
  hidden = false;

  set(hidden: boolean): void {
    this.hidden = hidden;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}

const untilState = (state: string, ...tabs: readonly Tab[]) =>
  until(`tabs are ${state}`, () => tabs.every((tab) => tab.store.snapshot().state === state));
const untilTotal = (total: number, ...tabs: readonly Tab[]) =>
  until(`total is ${total}`, () => tabs.every((tab) => tab.store.snapshot().total === total));

Deno.test("three tabs → one stream; its tab closes → the next tab opens one", async () => {
  await using server = startInboxServer();
  using tabs = new Tabs();
  await server.store(1);
  const first = tabs.open(server.url);
  await untilState("live", first);
  const others = [tabs.open(server.url), tabs.open(server.url)] as const;
  await untilTotal(1, first, ...others);
  await server.store(2);
  await untilTotal(2, first, ...others);
  assert.deepEqual(server.streams, { requested: 1, open: 1 });

  first.close();
  await server.store(3, 4);
  await untilTotal(4, ...others);
  await until("the first stream is closed", () => server.streams.open === 1);
  assert.equal(server.streams.requested, 2);
  assert.equal(first.store.snapshot().total, 2);
});

Deno.test("tab hidden → its stream closes, a shown tab opens one; shown again → current total", async () => {
  await using server = startInboxServer();
  using tabs = new Tabs();
  await server.store(1);
  const [page, otherPage] = [new FakePage(), new FakePage()];
  const tab = tabs.open(server.url, page);
  await untilTotal(1, tab);
  page.set(true);
  await until("the stream is closed", () => server.streams.open === 0);
  const other = tabs.open(server.url, otherPage);
  await server.store(2);
  await untilTotal(2, other);
  assert.deepEqual(server.streams, { requested: 2, open: 1 });
  assert.equal(tab.store.snapshot().total, 1);

  page.set(false);
  await untilTotal(2, tab);
  assert.equal(server.streams.requested, 2);
  otherPage.set(true);
  await server.store(3);
  await untilTotal(3, tab);
  assert.deepEqual(server.streams, { requested: 3, open: 1 });
});

Deno.test("inbox with 530 envelopes → total without reading their rows", async () => {
  let rows = 0;
  await using server = startInboxServer({
    instead(request) {
      rows += Number(new URL(request.url).searchParams.get("limit") ?? 0);
      return undefined;
    },
  });
  using tabs = new Tabs();
  await server.store(...Array.from({ length: 530 }, (_, n) => n));
  await untilTotal(530, tabs.open(server.url));
  // Two requests with `limit=1`: for the oldest and for the newest id.
  assert.equal(rows, 2);
});

Deno.test("server restarts → offline, then live with a new version, in every tab", async () => {
  using folder = temporaryFolder();
  const inbox = new Inbox({ path: join(folder.path, "inbox.sqlite"), maxBytes: 1_000_000 });
  try {
    using tabs = new Tabs();
    const port = findStablePort();
    let server = startInboxServer({ inbox, port });
    const { url } = server;
    await server.store(1);
    const both = [tabs.open(url), tabs.open(url)] as const;
    await untilState("live", ...both);
    const before = both.map((tab) => tab.store.snapshot().version);
    await server[Symbol.asyncDispose]();
    await untilState("offline", ...both);
    server = startInboxServer({ inbox, port });
    await server.store(2, 3);
    await untilState("live", ...both);
    await untilTotal(3, ...both);
    both.forEach((tab, n) => assert.ok(tab.store.snapshot().version > before[n]!));
    await server[Symbol.asyncDispose]();
  } finally {
    inbox.close();
  }
});

Deno.test("reading forbidden → no stream; allowed, then reconnect in one tab → all live", async () => {
  let isAllowed = false;
  await using server = startInboxServer({
    instead: () => isAllowed ? undefined : Response.json({}, { status: 403 }),
  });
  using tabs = new Tabs();
  await server.store(1);
  const [first, second] = [tabs.open(server.url), tabs.open(server.url)];
  await untilState("forbidden", first, second);
  assert.equal(server.streams.requested, 0);
  isAllowed = true;
  second.reconnect();
  await untilState("live", first, second);
  await untilTotal(1, first, second);
  assert.equal(server.streams.requested, 1);
});

Deno.test("hidden tabs with notifications on → stream stays, one tab shows each alert that no user sees; off → it closes", async () => {
  const alerts = new Recent<GroupAlert>();
  const inbox = new Inbox({ maxBytes: 1_000_000, onGroupAlert: (alert) => alerts.add(alert) });
  await using server = startInboxServer({ inbox, alerts });
  const shown: string[] = [];
  let isOn = true;
  let seeingTab: number | undefined;
  let asked = false;
  const changed = new Set<() => void>();
  const notificationsOf = (tab: number) => ({
    isOn: () => isOn,
    areErrorsVisible() {
      asked ||= tab === seeingTab;
      return tab === seeingTab;
    },
    subscribe(listener: () => void) {
      changed.add(listener);
      return () => void changed.delete(listener);
    },
    show: (alert: GroupAlert) => void shown.push(`${alert.kind} ${alert.message}`),
  });
  const pages = [new FakePage(), new FakePage()] as const;
  const tabs = pages.map((page, n) => openTab(server.url, page, notificationsOf(n)));
  try {
    await untilState("live", ...tabs);
    for (const page of pages) page.set(true);
    for (const message of ["a", "a", "b"]) {
      await inbox.store(admitted(envelopeOf({}, error(message))));
    }
    await until("both groups are shown", () => shown.length === 2);
    assert.deepEqual(shown, ["new a", "new b"]);
    assert.equal(server.streams.requested, 1);

    for (const [tab, message] of ["seen in one", "seen in the other"].entries()) {
      seeingTab = tab;
      asked = false;
      await inbox.store(admitted(envelopeOf({}, error(message))));
      await until("the tab says that its user sees it", () => asked);
    }
    seeingTab = undefined;
    await inbox.store(admitted(envelopeOf({}, error("c"))));
    await until("the third group is shown", () => shown.length > 2);
    assert.deepEqual(shown, ["new a", "new b", "new c"]);

    isOn = false;
    for (const listener of changed) listener();
    await until("the stream is closed", () => server.streams.open === 0);
  } finally {
    isOn = false;
    for (const tab of tabs) tab.close();
    inbox.close();
  }
});
