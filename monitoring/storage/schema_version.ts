export interface Schema {
  readonly version: number;
  readonly create: string;
  /** By version: upgrades it to the next one. Without a way to the current version, a version is refused. */
  readonly upgrades?: Readonly<Record<number, string>>;
}

/** What to execute to get the current version from `found`, 0 for none; undefined: that version is unknown. */
export function stepsFrom({ version, create, upgrades = {} }: Schema, found: number) {
  if (found === 0) return [create];
  const steps: string[] = [];
  for (let from = found; from < version; from++) {
    const step = upgrades[from];
    if (step === undefined) return undefined;
    steps.push(step);
  }
  return found > version ? undefined : steps;
}
