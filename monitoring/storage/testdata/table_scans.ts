import { DatabaseSync, StatementSync } from "node:sqlite";

const METHODS = ["run", "all", "get", "iterate"] as const;

/**
 * Statements that read a table or an index from its first row to its last: they take longer the more rows there are.
 *
 * @param path of a SQLite file
 * @param few names of tables that have few rows however much is stored
 * @param work runs the statements, on connections of this thread
 * @returns their SQL, without those that read one of `few`
 */
export async function tableScans(
  path: string,
  few: readonly string[],
  work: () => unknown,
): Promise<string[]> {
  using db = new DatabaseSync(path);
  return [...await statementsOf(work)].filter((sql) => {
    if (/^(PRAGMA|VACUUM)/.test(sql)) return false;
    const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all().map(({ detail }) => String(detail));
    const scanned = steps.flatMap((step) =>
      /^SCAN (?!CONSTANT ROW)([^( ]\S*)/.exec(step)?.[1] ?? []
    );
    return scanned.some((table) => !few.includes(table));
  });
}

async function statementsOf(work: () => unknown): Promise<Set<string>> {
  const found = new Set<string>();
  const { prototype } = StatementSync;
  const originals = METHODS.map((name) => [name, prototype[name]] as const);
  for (const [name, original] of originals) {
    Object.assign(prototype, {
      [name](this: StatementSync, ...values: unknown[]) {
        found.add(this.sourceSQL);
        return Reflect.apply(original, this, values);
      },
    });
  }
  try {
    await work();
  } finally {
    Object.assign(prototype, Object.fromEntries(originals));
  }
  return found;
}
