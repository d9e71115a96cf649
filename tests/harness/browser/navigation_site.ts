import type { Page } from "@playwright/test";
import type { App } from "../../../server/app.ts";
import { copiedSite, Fixture } from "../../../server/testdata/fixture.ts";
import { expect, inThisProcess, test as withServer } from "./fixtures.ts";

/** The framework's fixture project, served by this process. */
export interface Site {
  /** Serves another version from now on, with another sentence on `/about`. */
  deploy(): void;
  /** Redirects `/about` and its partial to `/` from now on. */
  redirectAbout(): void;
}

interface Builds {
  readonly first: App;
  readonly second: App;
}

/** Playwright's `test` with the framework's fixture project instead of the real server. */
export const test = withServer.extend<{ site: Site }, { builds: Builds }>({
  builds: [async ({ browserName: _browserName }, provide) => {
    await using fixture = await Fixture.build();
    await using changed = await copiedSite();
    const { root } = changed;
    const about = `${root}/routes/about.tsx`;
    const text = await Deno.readTextFile(about);
    await Deno.writeTextFile(about, text.replace("About, with", "About anew, with"));
    await using other = await Fixture.build({ root });
    await provide({ first: await fixture.app(), second: await other.app() });
  }, { scope: "worker" }],

  // The fixture project has no inbox.
  mode: "relay",

  site: async ({ builds }, provide) => {
    await provide(serveSite(builds));
  },

  server: async ({ site }, provide) => {
    await using server = inThisProcess((site as Served).server);
    await provide(server);
  },
});

interface Served extends Site {
  readonly server: Deno.HttpServer<Deno.NetAddr>;
}

function serveSite({ first, second }: Builds): Served {
  let app = first;
  let redirects = false;
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request, info) => {
      const { pathname, origin } = new URL(request.url);
      if (redirects && pathname === "/about") return Response.redirect(`${origin}/`);
      return app.handler(request, info);
    },
  );
  return {
    server,
    deploy: () => void (app = second),
    redirectAbout: () => void (redirects = true),
  };
}

/** Opens a page and waits until client navigation is ready. */
export async function open(page: Page, path = "/"): Promise<void> {
  await page.goto(path);
  // Set by the fixture's client after hydration.
  await expect(page.locator("html[data-later]")).toBeAttached();
  await page.evaluate(() => void (document.documentElement.dataset.same = "true"));
}

/** Expects the document of {@linkcode open}. */
export async function expectSameDocument(page: Page): Promise<void> {
  await expect(page.locator("html")).toHaveAttribute("data-same", "true");
}

/** Expects that the browser has loaded another document since {@linkcode open}. */
export async function expectFullLoad(page: Page): Promise<void> {
  await expect(page.locator("html:not([data-same])[data-later]")).toBeAttached();
}

/** Checks that the first counter on the page works: its island is hydrated. */
export async function expectHydrated(page: Page): Promise<void> {
  const counter = page.getByRole("button").first();
  const before = Number(await counter.textContent());
  await counter.click();
  await expect(counter).toHaveText(String(before + 1));
}

/** Whether an address is that of partial. */
export const isPartial = (url: URL) => url.searchParams.has("fresh-partial");
export const historyLength = (page: Page) => page.evaluate(() => history.length);
export const heading = (page: Page) => page.getByRole("heading", { level: 1 });
export const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });

/** The headings of the fixture's pages, by the names of the links to them. */
const HEADINGS = { About: "About", Home: /Variant/, Long: "Long" };

/** Expects a page to be displayed. */
export const expectPage = (page: Page, name: keyof typeof HEADINGS) =>
  expect(heading(page)).toHaveText(HEADINGS[name]);

/** Follows a link to a page. */
export async function follow(page: Page, name: keyof typeof HEADINGS): Promise<void> {
  await link(page, name).first().click();
  await expectPage(page, name);
}
