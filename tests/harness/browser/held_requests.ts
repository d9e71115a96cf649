import type { BrowserContext, Page, Request, Route } from "@playwright/test";

/**
 * Holds requests back. They continue when the returned function is called; later ones are not held.
 *
 * @param url of the requests
 * @param isHeld default: all requests of this URL
 */
export async function holdRequests(
  target: BrowserContext | Page,
  url: Parameters<Page["route"]>[0],
  isHeld: (request: Request) => boolean | Promise<boolean> = () => true,
): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await target.route(url, async (route: Route) => {
    if (await isHeld(route.request())) await released;
    await route.continue();
  });
  return release;
}
