import { followLinks } from "../../client/follow_links.ts";
import { hydrateIslands, type HydrateOptions } from "../../client/hydrate.ts";

const islands: HydrateOptions = {
  onError: ({ error, island, kind }) => console.error(kind, island, error),
};
followLinks(islands);
await hydrateIslands(islands);
// What is not needed at once is a chunk of its own.
const { later } = await import("./later.ts");
later(import.meta.resolve("extra-script"));
