import type { Import } from "./module_graph.ts";

/**
 * Import cycles that cross folders: a round of files that lie in more than one folder, and a round of
 * folders of the layout even where no single file closes it.
 *
 * @returns one line for each cycle, naming the imports that make it
 */
export function foreignCycles(imports: readonly Import[]): string[] {
  const local = imports.filter(({ to }) => !to.includes(":"));
  const offences: string[] = [];
  for (const files of rounds(local.map(({ from, to }) => [from, to]))) {
    if (new Set(files.map(folderOf)).size < 2) continue;
    offences.push(describe(files.join(", "), between(local, files, (path) => path)));
  }
  const foreign = local.filter(({ from, to }) => areaOf(from) !== areaOf(to));
  for (const areas of rounds(foreign.map(({ from, to }) => [areaOf(from), areaOf(to)]))) {
    const makers = between(foreign, areas, areaOf);
    // Said already, file by file.
    if (offences.some((line) => makers.every((maker) => line.includes(maker)))) continue;
    offences.push(describe(areas.map((area) => `${area}/`).join(", "), makers));
  }
  return offences;
}

const describe = (round: string, makers: readonly string[]): string =>
  `Import cycle across folders, ${round}: ${makers.join("; ")}. Imports go one way:` +
  " move what both sides need into a module below them.";

function between(
  imports: readonly Import[],
  round: readonly string[],
  name: (path: string) => string,
): string[] {
  return imports
    .filter(({ from, to }) => round.includes(name(from)) && round.includes(name(to)))
    .map(({ from, line, to }) => `${from}:${line} imports ${to}`);
}

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** `monitoring/relay/admit.ts` → `monitoring/relay`, `server/client/hydrate.ts` → `server`. */
const areaOf = (path: string): string => {
  const parts = folderOf(path).split("/");
  // A file at the top is an area of its own: main.ts imports routes that import config.ts.
  return parts[0] === "" ? path : parts.slice(0, parts[0] === "monitoring" ? 2 : 1).join("/");
};

/** Groups of two or more names that all lead to each other (Tarjan's strongly connected components). */
function rounds(edges: readonly (readonly [string, string])[]): string[][] {
  const next = Map.groupBy(edges, ([from]) => from);
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (name: string): number => {
    const at = index.size;
    index.set(name, at);
    low.set(name, at);
    stack.push(name);
    for (const [, to] of next.get(name) ?? []) {
      const reach = index.has(to) ? (stack.includes(to) ? index.get(to) ?? at : at) : visit(to);
      low.set(name, Math.min(low.get(name) ?? at, reach));
    }
    const lowest = low.get(name) ?? at;
    if (lowest === at) {
      const round = stack.splice(stack.indexOf(name));
      if (round.length > 1) found.push(round.sort());
    }
    return lowest;
  };
  for (const name of next.keys()) if (!index.has(name)) visit(name);
  return found;
}
