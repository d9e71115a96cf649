import { ellipsize, formatDuration } from "../../components/format.ts";
import {
  type Application,
  type ApplicationRow,
  clockOffMs,
  nameOf,
} from "../../monitoring/models/application_rows.ts";

/** The name of an application, and what distinguishes it from others with that name; empty: nothing. */
export type LabelParts = readonly [name: string, details: string];

/**
 * A short label for each application: its name, and of several with the same name what distinguishes it: the side, the
 * environment, or both.
 *
 * @returns labels by key
 */
export function applicationLabels(
  applications: readonly Application[],
): ReadonlyMap<string, LabelParts> {
  const detailsOf = [() => "", sideOf, environmentOf, sideAndEnvironment];
  return new Map(applications.map((application) => {
    const name = nameOf(application);
    const details = detailsOf.find((of) =>
      applications.filter((other) => nameOf(other) === name && of(other) === of(application))
        .length === 1
    );
    return [application.key, [name, (details ?? sideAndEnvironment)(application)]];
  }));
}

/** The label of each application as text, by key: "shop (server)". */
export const labelsByKey = (applications: readonly Application[]): ReadonlyMap<string, string> =>
  new Map([...applicationLabels(applications)].map(([key, label]) => [key, joinLabels([label])]));

/** The labels of what several applications sent together, each name once: "shop (server + browser)". */
export function joinLabels(labels: readonly LabelParts[]): string {
  return [...Map.groupBy(labels, ([name]) => name)].map(([name, same]) => {
    const details = same.flatMap(([, details]) => details || []).join(" + ");
    return details === "" ? name : `${name} (${details})`;
  }).join(" + ");
}

/** "shop (server, production)". */
export const fullLabel = (application: Application): string =>
  joinLabels([[nameOf(application), sideAndEnvironment(application)]]);

/** "9 min 00 s ahead"; empty: see {@linkcode clockOffMs}. */
export function clockOff(application: ApplicationRow): string {
  const off = clockOffMs(application);
  if (off === 0) return "";
  return formatDuration(Math.abs(off)) + (off > 0 ? " ahead" : " behind, or it sends late");
}

/** The sentence on {@linkcode clockOff}. */
export const clockText = (application: ApplicationRow): string =>
  `The clock of ${nameOf(application)} is ${clockOff(application)}.`;

/** Digits of a commit's hash, and characters of another release. */
const SHORT_HASH = 12;
const SHORT_RELEASE = 24;

/** A version without the name of its package: "1.5.0" of "shop-api@1.5.0". What is cut has an ellipsis. */
export function shortRelease(release: string): string {
  const version = release.replace(/^.+@(?=.)/, "");
  return ellipsize(version, /^[\da-f]{20,}$/.test(version) ? SHORT_HASH : SHORT_RELEASE);
}

const sideOf = ({ side }: Application) => side === "unknown" ? "" : side;
const environmentOf = ({ environment }: Application) => environment ?? "";
const sideAndEnvironment = (application: Application) =>
  [sideOf(application), environmentOf(application)].filter(Boolean).join(", ");
