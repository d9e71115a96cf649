import { followLinks } from "../../client/follow_links.ts";
import { hydrateIsland, type IslandOptions } from "../../client/hydrate.ts";
import Counter from "./islands/Counter.tsx";

const island: IslandOptions = {
  component: Counter,
  onError: ({ error, kind }) => console.error(kind, error),
};
followLinks(island);
hydrateIsland(island);
// Loaded later, as a separate chunk.
void import("./later.ts").then(({ later }) => later(import.meta.resolve("extra-script")));
