/**
 * Checks that a lock file contains no download addresses: they differ between machines.
 *
 * @param text of the lock file
 * @returns one line for each problem
 */
export function checkLock(text: string): string[] {
  return text.split("\n").flatMap((line, index) =>
    /https?:|\btarball\b/i.test(line)
      ? [`deno.lock:${index + 1} contains a download address: ${line.trim()}. Remove it.`]
      : []
  );
}

/**
 * Checks that `deno.json` names exact versions, and only one version of each package.
 *
 * @param text of `deno.json`
 * @returns one line for each problem
 */
export function checkVersions(text: string): string[] {
  const { imports = {} } = JSON.parse(text) as { imports?: Record<string, string> };
  const versions = new Map<string, string>();
  return Object.entries(imports).flatMap(([name, target]) => {
    // A short name for a folder of the project.
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
      : [`deno.json has ${source} as ${other} and ${version}: use one version.`];
  });
}
