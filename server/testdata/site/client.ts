import { followLinks } from "../../client/follow_links.ts";
import { hydrateIslands, type HydrateOptions } from "../../client/hydrate.ts";

const islands: HydrateOptions = {
  onError: ({ error, island, kind }) => console.error(kind, island, error),
};
followLinks(islands);
void hydrateIslands(islands).then(async () => {
  // Loaded later, as a separate chunk.
  const { later } = await import("./later.ts");
  later(import.meta.resolve("extra-script"));
});
