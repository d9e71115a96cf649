import type { ComponentType } from "react";

/** Loads an island's component. */
type IslandLoader = () => Promise<{
  readonly default: ComponentType<Record<string, unknown>>;
}>;

/** Islands by name. The build replaces this module with the project's islands, each a separate chunk. */
export const islands: Readonly<Record<string, IslandLoader>> = {};
