import { OWN_SOURCE, type Source, UNKNOWN_NAME } from "../../monitoring/models/rows.ts";

/**
 * A short label for each source: its name, and of several with the same name also the side, and then the
 * environment.
 *
 * @returns labels by key
 */
export function sourceLabels(sources: readonly Source[]): ReadonlyMap<string, string> {
  const parts = [nameOf, nameWithSide, fullLabel];
  return new Map(sources.map((source) => {
    const label = parts.find((of) =>
      sources.filter((other) => of(other) === of(source)).length === 1
    );
    return [source.key, (label ?? fullLabel)(source)];
  }));
}

/** Name, side and environment. */
export function fullLabel(source: Source): string {
  return [nameWithSide(source), source.environment].filter((part) => part !== null).join(", ");
}

/** "shop, server". */
export const nameWithSide = (source: Source): string =>
  source.side === "unknown" ? nameOf(source) : `${nameOf(source)}, ${source.side}`;

/** The name of an SDK without what all of Sentry's have in common. */
export function nameOf({ key, name }: Source): string {
  if (key === OWN_SOURCE.key) return name;
  if (name === UNKNOWN_NAME) return "sender not named";
  return name.replace(/^sentry\.(javascript\.)?(?=.)/, "");
}
