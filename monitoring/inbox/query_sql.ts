import { KEYS_PER_ENVELOPE } from "../models/index/list_cursor.ts";
import {
  type FieldTerm,
  lowerAscii,
  number,
  parseQuery,
  type Phrase,
  STATUS_CODE,
  type Term,
  type Value,
} from "../models/query/query.ts";
import { idWords } from "../models/query/words.ts";

/**
 * False once the time of a search is over: what remains is not read. Registered by `ListReader`. Asked for each row of a
 * list and each trace, and before the rows of a term are read: to ask it for each of those takes longer than to read it.
 */
export const IN_TIME = "in_time";

/** A field as SQL: `holds` returns the condition on an expression. */
type Field = (holds: (expression: string) => string) => string;

/** One of these expressions holds. */
const column = (...expressions: readonly string[]): Field => (holds) =>
  `(${expressions.map(holds).join(" OR ")})`;
const inEntry = (name: string) => column(`e.entry ->> '$.${name}'`);

const ofApplication = (...columns: readonly string[]): Field => (holds) =>
  `e.application IN (SELECT id FROM applications WHERE ${column(...columns)(holds)})`;

/** What follows the last @: "1.4.0" of "shop@1.4.0", as {@linkcode releaseNames}. */
const VERSION = "substr(release, 1 + length(rtrim(release, replace(release, '@', ''))))";
const SENDER: Readonly<Record<string, Field>> = {
  application: ofApplication("name", "key"),
  environment: ofApplication("environment"),
  release: (holds) =>
    `e.release IN (SELECT id FROM releases WHERE ${holds("release")} OR ${holds(VERSION)})`,
};

/** A URL, and its path alone; of a recording any of its pages. */
const ofPage = (url: string) => column(url, `substr(${url}, 8 + instr(substr(${url}, 9), '/'))`);
const ofPages: Field = (holds) =>
  `EXISTS (SELECT 1 FROM json_each(e.urls) WHERE ${ofPage("value")(holds)})`;
/** Its own, or an attribute of that name. */
const ofMetric = (name: string) => column(`e.${name}`, `e.entry ->> '$.attributes.${name}'`);

/** The tables with words, and the fields that each has, as `Searched.fields`. */
const TABLES = {
  spans: {
    name: column("e.name", "e.ai ->> '$.name'"),
    op: column("e.op"),
    status: column("iif(e.failed, 'error', 'ok')"),
    duration: column("e.duration"),
  },
  error_entries: { type: inEntry("type"), message: inEntry("value"), level: column("e.level") },
  log_entries: { message: inEntry("body"), level: column("e.level") },
  trace_entries: {},
  metric_points: { name: ofMetric("name"), kind: ofMetric("kind"), unit: ofMetric("unit") },
  recording_entries: { page: ofPages, kind: column("e.kind") },
  feedback_entries: {
    message: inEntry("message"),
    name: inEntry("name"),
    email: inEntry("email"),
    page: ofPage("(e.entry ->> '$.url')"),
  },
  profile_entries: { name: column("e.name"), duration: column("e.ended_at - e.at") },
  check_in_entries: {
    monitor: column("e.slug"),
    name: column("e.slug"),
    environment: column("nullif(e.environment, '')"),
    status: column("e.status"),
    duration: column("e.duration"),
  },
  resource_entries: {},
  envelope_entries: {
    type: (holds) =>
      `e.row_key / ${KEYS_PER_ENVELOPE} IN (SELECT envelope FROM item_types WHERE ${
        holds("type")
      })`,
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Field>>>>;

type TableName = keyof typeof TABLES;

export const SEARCHED_TABLES = Object.keys(TABLES) as TableName[];

/** The FTS5 table of the words of one of these tables, by the same row keys. */
export const wordTable = (table: TableName) => table.replace(/_entries$|_points$|s$/, "_words");

/** Fields whose values are not among the words. */
const NOT_IN_WORDS = new Set([...Object.keys(SENDER), "status", "duration", "level"]);

/** The values of {@linkcode entryMatches} and the like, by name. */
export function queryValues(q = ""): Record<string, string | number> {
  const values: Record<string, string | number> = {};
  for (const [n, term] of parseQuery(q).entries()) {
    if (term.field === undefined) {
      const { id } = term;
      const phrases = id === undefined ? [] : [{ words: idWords(id), isBeginning: true }];
      values[`words${n}`] = anyOf([...term.phrases, ...phrases]);
      if (id !== undefined) Object.assign(values, { [`id${n}`]: id, [`idEnd${n}`]: `${id}g` });
      continue;
    }
    const { names, value, phrase, phrases } = term;
    values[`words${n}`] = anyOf(phrases);
    if (phrase !== null) values[`value${n}`] = anyOf([phrase]);
    for (const [i, name] of names.entries()) values[`name${n}_${i}`] = `$.attributes."${name}"`;
    if (value.is === "range") {
      for (const [i, [, limit]] of value.bounds.entries()) values[`limit${n}_${i}`] = limit;
    } else if (value.is !== "any") {
      const json = JSON.stringify(value.text);
      const isWhole = value.is === "text";
      values[`text${n}`] = value.text;
      values[`json${n}`] = lowerAscii(isWhole ? json : json.slice(0, -1));
      values[`bare${n}`] = isWhole ? bareJson(value.text) : value.text;
    }
  }
  return values;
}

/** A number or a boolean as JSON; of another text nothing that is JSON. */
const bareJson = (text: string) =>
  Number.isNaN(number(text))
    ? /^(true|false)$/.exec(text)?.[0] ?? ""
    : JSON.stringify(number(text));

const anyOf = (phrases: readonly Phrase[]) =>
  phrases.map(({ words, isBeginning }) => `"${words.trim()}"${isBeginning ? " *" : ""}`).join(
    " OR ",
  );

/** What several entries belong to, each of which may match another term. */
const GROUPS: { readonly [Table in TableName]?: string } = {
  recording_entries: "e.replay_id",
  profile_entries: "e.profile_id",
};

/** Conditions on a row `e` of a table: that it matches the query; of a group, as {@linkcode traceMatches}. */
export function entryMatches(table: TableName, q = ""): string[] {
  const conditions = parseQuery(q).flatMap((term, n) => {
    const group = GROUPS[table];
    if (group !== undefined) {
      const found = foundKeys(group, table, term, n);
      return isDuration(term) ? [] : `${group} ${term.isExcluded ? "NOT " : ""}IN (${found})`;
    }
    const condition = `(${conditionOf(term, n, table)})`;
    return term.isExcluded ? `${condition} IS NOT TRUE` : condition;
  });
  return conditions.length === 0 ? [] : [`${IN_TIME}()`, ...conditions];
}

/** Conditions on a row `e` of a trace: for each term, that one of its entries matches; for an excluded one, that none does. */
export function traceMatches(q = ""): string[] {
  const conditions = parseQuery(q).flatMap((term, n) => {
    if (isDuration(term)) return [];
    const condition = term.field === undefined && term.id === undefined
      ? `(${isInTrace("trace_entries", n)} OR ${isInTrace("error_entries", n)})`
      : `t.trace_id IN (${tracesOf(term, n).join(" UNION ALL ")})`;
    return term.isExcluded ? `NOT ${condition}` : condition;
  });
  if (conditions.length === 0) return [];
  // With a limit SQLite does not compare every entry instead of every trace.
  const traces = "(SELECT DISTINCT trace_id FROM trace_entries LIMIT -1) AS t";
  const all = [`${IN_TIME}()`, ...conditions].join(" AND ");
  return [`e.trace_id IN (SELECT t.trace_id FROM ${traces} WHERE ${all})`];
}

const TRACE_TABLES = ["error_entries", "log_entries", "spans"] as const;
const HAVE_ATTRIBUTES = [...TRACE_TABLES, "metric_points", "resource_entries", "feedback_entries"];

/** Whether an entry of the trace `t` has the words of a term. */
const isInTrace = (table: "trace_entries" | "error_entries", n: number) =>
  `EXISTS (SELECT 1 FROM ${table} INDEXED BY ${table}_by_trace WHERE trace_id = t.trace_id` +
  ` AND row_key IN (${keysOfWords(table, `:words${n}`)}) AND row_key < :asOf)`;

/** The row keys of entries with words. @param from where they begin */
const keysOfWords = (of: TableName, words: string, from?: string) =>
  `SELECT rowid AS row_key FROM ${wordTable(of)} WHERE ${wordTable(of)} MATCH ${words}` +
  (from ? ` AND rowid >= ${from}` : "");

/** `SELECT`s of the traces with an entry that matches a term. */
function tracesOf(term: Term, n: number): string[] {
  const ofEntries = (condition: string) => keysOf("e.trace_id", "trace_entries AS e", condition);
  if (isOfSender(term)) return [ofEntries(SENDER[term.field]!(holdsSql(term.value, n)))];
  const found = TRACE_TABLES.map((table) => foundKeys("e.trace_id", table, term, n));
  if (term.field !== undefined) {
    const ofResource =
      `SELECT trace_id FROM (${foundKeys("e.row_key", "resource_entries", term, n)}) AS f` +
      " CROSS JOIN envelope_entries AS r ON r.row_key = f.row_key" +
      " CROSS JOIN trace_entries AS e ON e.row_key >= r.row_key AND e.row_key < r.row_key + keys";
    return [...found, ofResource];
  }
  const ids = ["e.trace_id", "e.replay_id"].map((id) => `${id} >= :id${n} AND ${id} < :idEnd${n}`);
  return [...found, ...ids.map(ofEntries)];
}

/** Conditions on the duration of a trace, recording or profile, an expression: that of its spans is another one. */
export function durationMatches(duration: string, q = ""): string[] {
  return parseQuery(q).flatMap((term, n) =>
    term.field !== undefined && isDuration(term)
      ? `(${holdsSql(term.value, n)(duration)}) IS ${term.isExcluded ? "NOT " : ""}TRUE`
      : []
  );
}

const ENVELOPE = `e.row_key / ${KEYS_PER_ENVELOPE}`;

/** As {@linkcode traceMatches}, on the envelope of a row `e`. */
export function envelopeMatches(q = ""): string[] {
  return parseQuery(q).map((term, n) => {
    const tables = isOfSender(term) ? ["envelope_entries"] as const : SEARCHED_TABLES;
    const skipped = ["trace_entries", term.field === undefined ? "resource_entries" : ""];
    const found = tables.filter((table) => !skipped.includes(table))
      .map((table) => foundKeys(ENVELOPE, table, term, n));
    return `${ENVELOPE} ${term.isExcluded ? "NOT " : ""}IN (${found.join(" UNION ALL ")})`;
  });
}

/** What of a row of `page` matches most terms, spans first, as JSON; null: nothing, or the query has no such term. */
export function bestMatch(q = ""): string {
  const terms = [...parseQuery(q).entries()].filter(([, term]) =>
    !term.isExcluded && !isOfSender(term) && !isDuration(term)
  );
  if (terms.length === 0) return "NULL";
  const best = (["spans", "error_entries", "log_entries"] as const).map((table) => {
    const [id, text] = MATCHED[table];
    // Of a frequent word those of one page are few.
    const first = `(SELECT min(row_key) FROM page CROSS JOIN ${table} ON trace_id = page.id)`;
    const each = terms.map(([n, term]) => `((${conditionOf(term, n, table, first)}) IS TRUE)`);
    // The inner LIMIT: else SQLite counts a second time for each use of `terms`.
    return "(SELECT iif(terms > 0, json_object('span_id', span_id, 'name', name), NULL) FROM" +
      ` (SELECT ${id} AS span_id, ${text} AS name, ${each.join(" + ")} AS terms` +
      ` FROM ${table} AS e WHERE e.trace_id = page.id AND e.row_key < :asOf` +
      ` ORDER BY terms DESC, ${text} IS NOT root.name, e.row_key LIMIT 1))`;
  });
  return `coalesce(${best.join()})`;
}

/** The span and the text of a match. */
const MATCHED = {
  spans: ["e.span_id", "e.name"],
  error_entries: ["e.entry ->> 'span_id'", "e.entry ->> 'type' || ': ' || (e.entry ->> 'value')"],
  log_entries: ["e.entry ->> 'span_id'", "substr(e.entry ->> 'body', 1, 200)"],
} as const;

const isDuration = (term: Term): boolean => term.field === "duration" && term.value.is === "range";

const isOfSender = (term: Term): term is FieldTerm =>
  term.field !== undefined && Object.hasOwn(SENDER, term.field);

/** The key of what sent the entry `e`. */
export const SENT_BY =
  "(SELECT max(row_key) FROM envelope_entries AS r WHERE r.row_key <= e.row_key)";

/** The attributes of the resource that sent the entry `e`, as JSON; null: none were sent. */
export const RESOURCE =
  `(SELECT entry -> '$.attributes' FROM resource_entries WHERE row_key = ${SENT_BY})`;

const keysOf = (key: string, from: string, condition: string) =>
  `SELECT ${key} FROM (SELECT ${IN_TIME}() AS ok) CROSS JOIN ${from} WHERE ok AND (${condition})` +
  ` AND ${key} IS NOT NULL AND e.row_key < :asOf`;

function foundKeys(key: string, name: TableName, term: Term, n: number): string {
  const { words, condition } = partsOf(term, n, name);
  if (words === undefined) return keysOf(key, `${name} AS e`, condition);
  if (key === ENVELOPE && condition === "TRUE") {
    return keysOf(key, `(${keysOfWords(name, words)}) AS e`, condition);
  }
  const table = wordTable(name);
  // Reads each row when its words are found: to list the keys of all first takes longer.
  const from = `${table} AS w CROSS JOIN ${name} AS e ON e.row_key = w.rowid`;
  return keysOf(key, from, `w.${table} MATCH ${words} AND ${condition}`);
}

/** Of the entry or its resource. @param first the lowest row key of the few rows that are compared; undefined: they are many */
function conditionOf(term: Term, n: number, name: TableName, first?: string): string {
  const { words, condition } = partsOf(term, n, name, first === undefined);
  // By `+` SQLite looks rows up among the keys, instead of reading the row of each key.
  const isFound = words ? `+e.row_key IN (${keysOfWords(name, words, first)})` : "TRUE";
  const own = `${isFound} AND ${condition}`;
  if (term.field === undefined || fieldOf(term.field, name)) return own;
  const resources = foundKeys("e.row_key", "resource_entries", term, n);
  const isOfResource = `EXISTS (${resources}) AND ${SENT_BY} IN (${resources})`;
  // The first part needs keys alone: else SQLite reads each row.
  return `(${isFound} OR EXISTS (${resources})) AND (${own} OR ${isOfResource})`;
}

/** Undefined: it has no such field. */
const fieldOf = (field: string, table: TableName): Field | undefined =>
  new Map(Object.entries({ ...SENDER, ...TABLES[table] })).get(field);

/** What the words of a row that matches a term contain (undefined: anything), and the condition on its columns. */
function partsOf(term: Term, n: number, name: TableName, wordsFirst = true) {
  const words = `:words${n}`;
  if (term.field === undefined) return { words, condition: "TRUE" };
  const { field, value, phrase, isQuoted } = term;
  const known = fieldOf(field, name);
  if (known) {
    const isInWords = wordsFirst && phrase !== null && !NOT_IN_WORDS.has(field);
    return { ...isInWords && { words: `:value${n}` }, condition: known(holdsSql(value, n)) };
  }
  if (value.is === "range" && name === "spans" && field === STATUS_CODE) {
    return { condition: holdsSql(value, n)("e.status_code") };
  }
  const orText = value.is === "text" && !isQuoted && name !== "resource_entries";
  if (!HAVE_ATTRIBUTES.includes(name)) {
    return orText ? { words, condition: "TRUE" } : { condition: "FALSE" };
  }
  // The words first: to read a value of JSON takes a hundred times as long.
  const condition = attributeHolds(term, n, orText);
  return wordsFirst || orText ? { words, condition } : { condition };
}

/** Whether the value of an expression is the term's. */
const holdsSql = (value: Value, n: number) => (expression: string): string => {
  switch (value.is) {
    case "any":
      return `${expression} IS NOT NULL`;
    case "text":
      return `lower(${expression}) = :text${n}`;
    case "beginning":
      return `substr(lower(${expression}), 1, length(:text${n})) = :text${n}`;
    case "range":
      return [
        // To SQLite each text is more than a number.
        `typeof(${expression}) <> 'text'`,
        ...value.bounds.map(([operator], i) => `${expression} ${operator} :limit${n}_${i}`),
      ].join(" AND ");
  }
};

/** The same of the first of these attributes that an entry has. @param orText whether one without them matches as it is */
function attributeHolds({ value, names }: FieldTerm, n: number, orText: boolean): string {
  const paths = (operator: string) => names.map((_, i) => `e.entry ${operator} :name${n}_${i}`);
  // SQLite requires two arguments.
  const first = (operator: string) => `coalesce(${[...paths(operator), "NULL"].join(", ")})`;
  const json = first("->");
  const beginsWith = (start: string) => `substr(lower(${json}), 1, length(${start})) = ${start}`;
  switch (value.is) {
    case "any":
      return `${json} IS NOT NULL`;
    case "text":
      return `coalesce(lower(${json}) IN (:json${n}, :bare${n}), ${orText})`;
    case "beginning":
      return `(${beginsWith(`:json${n}`)} OR ${beginsWith(`:bare${n}`)})`;
    case "range":
      // `->>` first, which is faster: most values are out of a range. To SQLite each text is more than a number.
      return [
        ...value.bounds.map(([operator], i) => `${first("->>")} ${operator} :limit${n}_${i}`),
        `${json} GLOB '[-0-9]*'`,
      ].join(" AND ");
  }
}
