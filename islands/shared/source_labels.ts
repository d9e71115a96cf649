import { OWN_SOURCE, type Source, UNKNOWN_NAME } from "../../monitoring/models/rows.ts";

/** The name of a source, and what distinguishes it from others with that name; empty: nothing. */
export type LabelParts = readonly [name: string, details: string];

/**
 * A short label for each source: its name, and of several with the same name what distinguishes it: the side, the
 * environment, or both.
 *
 * @returns labels by key
 */
export function sourceLabels(sources: readonly Source[]): ReadonlyMap<string, LabelParts> {
  const detailsOf = [() => "", sideOf, environmentOf, sideAndEnvironment];
  return new Map(sources.map((source) => {
    const name = nameOf(source);
    const details = detailsOf.find((of) =>
      sources.filter((other) => nameOf(other) === name && of(other) === of(source)).length === 1
    );
    return [source.key, [name, (details ?? sideAndEnvironment)(source)]];
  }));
}

/** The label of each source as text, by key: "shop (server)". */
export const labelsByKey = (sources: readonly Source[]): ReadonlyMap<string, string> =>
  new Map([...sourceLabels(sources)].map(([key, label]) => [key, joinLabels([label])]));

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

/** The name of an SDK without what all of Sentry's have in common. */
export function nameOf({ key, name }: Source): string {
  if (key === OWN_SOURCE.key) return name;
  if (name === UNKNOWN_NAME) return "sender not named";
  return name.replace(/^sentry\.(javascript\.)?(?=.)/, "");
}

/** A version without the name of its package: "1.5.0" of "shop-api@1.5.0". */
export const shortRelease = (release: string, name: string) =>
  release.startsWith(`${name}@`) ? release.slice(name.length + 1) : release.slice(0, 12);

const sideOf = ({ side }: Source) => side === "unknown" ? "" : side;
const environmentOf = ({ environment }: Source) => environment ?? "";
const sideAndEnvironment = (source: Source) =>
  [sideOf(source), environmentOf(source)].filter(Boolean).join(", ");
