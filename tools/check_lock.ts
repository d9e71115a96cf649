/**
 * What is wrong with a lock file's text: it must name versions and their hashes, never the place that
 * they were downloaded from, which is another one on every machine.
 *
 * @returns one line for each offence
 */
export function judgeLock(text: string): string[] {
  return text.split("\n").flatMap((line, index) =>
    /https?:|\btarball\b/i.test(line)
      ? [
        `deno.lock:${
          index + 1
        } holds an address: ${line.trim()}. Remove it: a lock names no place.`,
      ]
      : []
  );
}

/**
 * What is wrong with the versions in `deno.json`: each must be exact, so that two machines build the
 * same thing, and one package must not come in two versions.
 *
 * @param text of `deno.json`
 * @returns one line for each offence
 */
export function judgeVersions(text: string): string[] {
  const { imports = {} } = JSON.parse(text) as { imports?: Record<string, string> };
  const versions = new Map<string, string>();
  return Object.entries(imports).flatMap(([name, target]) => {
    // A folder of the project under a short name.
    if (target.startsWith(".")) return [];
    const [, source, version] =
      /^((?:npm|jsr):(?:@[\w.-]+\/)?[\w.-]+)@(\d+\.\d+\.\d+(?:-[\w.]+)?)(?:\/[\w./-]+)?$/
        .exec(target) ?? [];
    if (source === undefined || version === undefined) {
      return [`deno.json maps "${name}" to "${target}": give the exact version, npm:name@1.2.3.`];
    }
    const other = versions.get(source) ?? version;
    versions.set(source, version);
    return other === version
      ? []
      : [`deno.json has ${source} as ${other} and ${version}: one version for all.`];
  });
}
