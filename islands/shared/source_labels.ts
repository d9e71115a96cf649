import { OWN_SOURCE, type Source, UNKNOWN_NAME } from "../../monitoring/models/rows.ts";

/** The name of a source, and what distinguishes it from others with that name; empty: nothing. */
export type LabelParts = readonly [name: string, details: string];

/**
 * A short label for each source: its name, and of several with the same name also the side, and then the
 * environment.
 *
 * @returns labels by key
 */
export function sourceLabels(sources: readonly Source[]): ReadonlyMap<string, LabelParts> {
  const detailsOf = [() => "", sideOf, sideAndEnvironment];
  return new Map(sources.map((source) => {
    const name = nameOf(source);
    const details = detailsOf.find((of) =>
      sources.filter((other) => nameOf(other) === name && of(other) === of(source)).length === 1
    );
    return [source.key, [name, (details ?? sideAndEnvironment)(source)]];
  }));
}

/** The labels of what several sources sent together, each name once: "shop (server + browser)". */
export function joinLabels(labels: readonly LabelParts[]): string {
  return [...Map.groupBy(labels, ([name]) => name)].map(([name, same]) => {
    const details = same.flatMap(([, details]) => details || []).join(" + ");
    return details === "" ? name : `${name} (${details})`;
  }).join(" + ");
}

/** "shop (server, production)". */
export const fullLabel = (source: Source): string =>
  joinLabels([[nameOf(source), sideAndEnvironment(source)]]);

/** "shop (server)". */
export const nameWithSide = (source: Source): string =>
  joinLabels([[nameOf(source), sideOf(source)]]);

/** The name of an SDK without what all of Sentry's have in common. */
export function nameOf({ key, name }: Source): string {
  if (key === OWN_SOURCE.key) return name;
  if (name === UNKNOWN_NAME) return "sender not named";
  return name.replace(/^sentry\.(javascript\.)?(?=.)/, "");
}

const sideOf = ({ side }: Source) => side === "unknown" ? "" : side;
const sideAndEnvironment = (source: Source) =>
  [sideOf(source), source.environment].filter(Boolean).join(", ");
