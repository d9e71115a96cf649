import { DatabaseSync, StatementSync } from "node:sqlite";

const METHODS = ["run", "all", "get", "iterate"] as const;

/** The steps of each statement, by its SQL. */
export type QueryPlans = ReadonlyMap<string, readonly string[]>;

/**
 * The query plans of the statements that the work runs on connections of this thread.
 *
 * @param path of a SQLite file
 */
export async function queryPlans(path: string, work: () => unknown): Promise<QueryPlans> {
  using db = new DatabaseSync(path);
  const statements = [...await statementsOf(work)].filter((sql) => !/^(PRAGMA|VACUUM)/.test(sql));
  return new Map(statements.map((sql) => {
    const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    return [sql, steps.map(({ detail }) => String(detail))];
  }));
}

/**
 * Statements that read a table or an index from its first row to its last: they take longer the more rows there are.
 *
 * @param few names of tables that have few rows however much is stored
 * @returns their SQL, without those that read one of `few`
 */
export function tableScans(plans: QueryPlans, few: readonly string[]): string[] {
  // FTS5 finds rows by words and by single keys.
  const isScan = (step: string) => {
    const table = /^SCAN (?!CONSTANT ROW|\S+ VIRTUAL TABLE INDEX \d+:[=M])([^( ]\S*)/.exec(step)
      ?.[1];
    return table !== undefined && !few.includes(table);
  };
  return [...plans].filter(([_, steps]) => steps.some(isScan)).map(([sql]) => sql);
}

async function statementsOf(work: () => unknown): Promise<Set<string>> {
  const found = new Set<string>();
  using db = new DatabaseSync(":memory:");
  const restore = [
    watch(StatementSync.prototype, (statement) => found.add(statement.sourceSQL)),
    watch(
      Object.getPrototypeOf(db.createTagStore()),
      (_, parts: readonly string[]) => found.add(parts.join("?")),
    ),
  ];
  try {
    await work();
  } finally {
    for (const each of restore) each();
  }
  return found;
}

/** Calls back with each call of a statement. Returns a function that ends it. */
function watch<T extends Record<typeof METHODS[number], unknown>, V extends unknown[]>(
  prototype: T,
  onCall: (object: T, ...values: V) => void,
): () => void {
  const originals = METHODS.map((name) => [name, prototype[name]] as const);
  for (const [name, original] of originals) {
    Object.assign(prototype, {
      [name](this: T, ...values: V) {
        onCall(this, ...values);
        return Reflect.apply(original as (...values: V) => unknown, this, values);
      },
    });
  }
  return () => Object.assign(prototype, Object.fromEntries(originals));
}
