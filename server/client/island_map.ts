import type { ComponentType } from "react";

/** How the browser gets an island's component. */
export type IslandLoader = () => Promise<{
  readonly default: ComponentType<Record<string, unknown>>;
}>;

/**
 * Every island by its name. Empty here: the build puts the project's islands in, each as a chunk of
 * its own.
 */
export const islands: Readonly<Record<string, IslandLoader>> = {};
