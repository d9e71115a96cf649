/** An inbox that accepts requests and never answers: each read fails with a message and can be tried again. */
import type { Page } from "@playwright/test";
import { expect, listRows, test } from "../harness/browser/fixtures.ts";
import { largeTrace, nodeEvent, postEvents, postSpans } from "../harness/browser/posted.ts";
import { holdRequests } from "../harness/browser/requests.ts";

const TRACE = "0123456789abcdef0123456789abcdef";
/** The page's message for a request without an answer. */
const NO_ANSWER = "The inbox has not answered for 10 seconds.";

/** Lists, bodies and source maps; not the requests for the state of the inbox. */
const isRead = (url: URL) =>
  url.pathname === "/monitoring/inbox" &&
  ["view", "id", "map"].some((name) => url.searchParams.has(name));

/** Each read: its address, its place on the page, a text that it shows, and its alerts if it fails (default: one). */
const READS = {
  "the slowest endpoints": ["#/", ".panel:has(#slowest-endpoints)", "step 0", 0],
  "the list of traces": ["#/traces", ".traces", "step 0"],
  "the list of errors": ["#/errors", ".errors", "All servers failed"],
  "the list of logs": ["#/logs?application=all", ".logs", "The server has started"],
  "the list of envelopes": ["#/envelopes", ".envelopes", "event"],
  "a trace": [`#/traces/${TRACE}`, ".traces .detail-pane", "step #"],
  // The list is beside it.
  "an envelope": ["#/envelopes/1", ".envelopes", "Envelope header", 2],
} as const;

// `page`, which would start it, is not used here.
test("lists and bodies never answered → each view shows a message and can be tried again", async ({ context, server, watch: _watch }) => {
  await postSpans(server.origin, ...largeTrace(TRACE, 5));
  await postEvents(server.origin, nodeEvent());
  const [{ group }] = await listRows(server.origin, "errors");
  const answerAll = await holdRequests(context, isRead);
  // In parallel, each address in its own tab: all wait for the same time.
  const tabs = new Map<string, Promise<Page>>();
  const open = async (fragment: string) => {
    const page = await context.newPage();
    await page.goto(`${server.origin}/${fragment}`);
    return page;
  };
  const reads = await Promise.all(
    Object.entries(
      {
        ...READS,
        "an error": [`#/errors/${group}`, ".errors", "All servers failed"],
      } as const,
    ).map(async ([read, [fragment, place, shown, alerts = 1]]) => {
      const tab = tabs.get(fragment) ?? open(fragment);
      tabs.set(fragment, tab);
      return { read, view: (await tab).locator(place), shown, alerts };
    }),
  );
  for (const { read, view, alerts } of reads) {
    await test.step(read, async () => {
      await expect(view).toContainText(NO_ANSWER);
      await expect(view.getByRole("alert")).toHaveCount(alerts);
      await expect(view).not.toContainText(/Reading |Loading /);
      await expect(view.getByRole("button", { name: "Try again" }).last()).toBeVisible();
    });
  }
  answerAll();
  for (const { read, view, shown } of reads) {
    await test.step(`${read}, tried again`, async () => {
      await expect(async () => {
        // The tabs also read again when one of them sends an envelope.
        const retry = view.getByRole("button", { name: "Try again" }).first();
        // Not by mouse: the other tabs are hidden, and draw no frames.
        if (await retry.isVisible()) await retry.press("Enter", { timeout: 1_000 });
        await expect(view).toContainText(shown, { timeout: 3_000 });
        await expect(view).not.toContainText(NO_ANSWER, { timeout: 3_000 });
      }).toPass();
    });
  }
});
