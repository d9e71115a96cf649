/** Versions of the tables of a store. */
export interface Schema {
  /** The current version. */
  readonly version: number;
  /** Creates the tables of the current version. */
  readonly create: string;
  /** By version: upgrades it to the next one. Without a way to the current version, a version is refused. */
  readonly upgrades?: Readonly<Record<number, string>>;
}

/**
 * Returns what to execute to get the current version; undefined: the version is unknown.
 *
 * @param found version of the tables, 0 for none
 */
export function stepsFrom(
  { version, create, upgrades = {} }: Schema,
  found: number,
): readonly string[] | undefined {
  if (found === 0) return [create];
  const steps: string[] = [];
  for (let from = found; from < version; from++) {
    const step = upgrades[from];
    if (step === undefined) return undefined;
    steps.push(step);
  }
  return found > version ? undefined : steps;
}
