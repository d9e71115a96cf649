import { hydrateIslands } from "../../client/hydrate.ts";

await hydrateIslands({
  onError: ({ error, island, kind }) => console.error(kind, island, error),
});
// What is not needed at once is a chunk of its own.
const { later } = await import("./later.ts");
later(import.meta.resolve("extra-script"));
