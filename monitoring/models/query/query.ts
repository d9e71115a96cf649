import { levelNamed, LOG_LEVELS } from "../../protocol/log_levels.ts";
import { toJson } from "../json.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../time_units.ts";
import { idWords, wordsOf } from "./words.ts";

/** Characters of a query: more than people type, and enough for the values that they click. */
export const MAX_QUERY_LENGTH = 1_000;
/** Further terms are ignored. */
const MAX_TERMS = 32;

/** Words that follow each other. */
export interface Phrase {
  /** As {@linkcode wordsOf} returns them; at least one. */
  readonly words: string;
  /** The last word may be longer. */
  readonly isBeginning: boolean;
}

/** Words of an entry. */
export interface TextTerm {
  readonly isExcluded: boolean;
  readonly field?: undefined;
  /** An entry has one of them: those of an id are it as written, and without dashes. */
  readonly phrases: readonly Phrase[];
  /** The beginning of an id, as ids are stored: at least 8 hexadecimal digits. */
  readonly id: string | undefined;
}

/** The value of a field or attribute. */
export interface FieldTerm {
  readonly isExcluded: boolean;
  readonly field: string;
  /** Names of attributes: the first that an entry has is compared. */
  readonly names: readonly string[];
  /** Quoted: of an entry without the field and such an attribute, the text does not decide. */
  readonly isQuoted: boolean;
  readonly value: Value;
  /** What the words of an entry with this value contain one of: after the name of an attribute. */
  readonly phrases: readonly Phrase[];
  /** The same of a field, without its name; null: nothing. */
  readonly phrase: Phrase | null;
}

export type Term = TextTerm | FieldTerm;

/** A value is compared without the case of A to Z, as SQLite's `lower` does. `any`: the field has some value. */
export type Value =
  | { readonly is: "text" | "beginning"; readonly text: string }
  | { readonly is: "range"; readonly bounds: readonly Bound[] }
  | { readonly is: "any" };

export type Bound = readonly [operator: ">" | ">=" | "<" | "<=", number: number];

/** Of spans it is a column. */
export const STATUS_CODE = "status_code";
/** Names of one fact in spans, logs and errors, by its name in a query: few have an attribute of that name as well. */
const ALIASES: ReadonlyMap<string, readonly string[]> = new Map([
  ["method", ["http.request.method", "http.method", "request.method", "method"]],
  [STATUS_CODE, ["http.response.status_code", "http.status_code", STATUS_CODE]],
  ["url.full", ["url.full", "http.url", "request.url"]],
  ["server", ["server", "server.address", "host.name"]],
  ["sentry.replay_id", ["sentry.replay_id", "replayId"]],
]);

const namesOf = (field: string) => ALIASES.get(field) ?? [field];

/** The name by which a query finds this attribute where it has another name, too. */
export const sharedName = (name: string): string =>
  [...ALIASES].find(([, names]) => names.includes(name))?.[0] ?? name;

/** Facts that SDKs send for all that a resource or an event has, and the fields that have them. */
const RESOURCE_FIELDS: ReadonlyMap<string, string> = new Map([
  ["service.name", "application"],
  ["service.version", "release"],
  ["deployment.environment.name", "environment"],
  ["deployment.environment", "environment"],
  ["server_name", "server"],
]);

const KEY = /^[\p{L}_][\p{L}\p{N}_.\/@-]*$/u;
/** [-][KEY:]VALUE, where VALUE is a word or a quoted text. `//` after the colon: an address. */
const TERM =
  /(-(?=[^\s-]))?(?:([\p{L}_][\p{L}\p{N}_.\/@-]*):(?=\S)(?!\/\/))?(?:"((?:\\["\\]|[^"])*)(?:"|$)|(\S+))/gu;
/** Before an id or a `traceparent`, as programs print them: it is found without its name. */
const ID_NAME =
  /(?<=(?:^|\s)-?)(?:trace_?id|span_?id|traceparent|sentry-trace)[:=]\s*(?="?(?:00-)?[\da-f]{8})/gi;
const ID = /^[\da-f]{8,32}$/;
/** The trace's id in W3C's `traceparent`, in `sentry-trace`. */
const TRACE_HEADER = /^(?:00-)?([\da-f]{32})-[\da-f]{16}(?:-[\da-f]{1,2})?$/;

/**
 * Reads a query: words, "phrases", `key:value`, `key:beginning*`, `key:>number`, `key:1..2`; with `-` excluded. Never
 * fails: what has no such form is text.
 */
export function parseQuery(query: string): readonly Term[] {
  const terms: Term[] = [];
  for (
    const [, minus, field, quoted, bare = ""] of query.slice(0, MAX_QUERY_LENGTH)
      .replace(ID_NAME, "").matchAll(TERM)
  ) {
    const text = quoted?.replace(/\\(["\\])/g, "$1") ?? bare;
    const term = field !== undefined && wordsOf(field) !== " "
      ? fieldTerm(...meantBy(field, text), quoted !== undefined)
      : textTerm(text, quoted === undefined);
    if (term !== undefined) terms.push({ ...term, isExcluded: minus !== undefined });
    if (terms.length === MAX_TERMS) break;
  }
  return terms;
}

/** A field and its value. What lists show as status is an HTTP status, if it has digits. */
function meantBy(field: string, text: string): [field: string, text: string] {
  const meant = field === "status" && /\d/.test(text)
    ? "status_code"
    : RESOURCE_FIELDS.get(field) ?? field;
  const code = text.replace(/^([1-5])xx$/i, (_, first) => `${first}00..${first}99`);
  return [meant, meant.endsWith("status_code") ? code : text];
}

const phraseOf = (text: string, isBeginning: boolean): Phrase | null => {
  const words = wordsOf(text);
  return words === " " ? null : { words, isBeginning };
};

/** Half of all entries have a word with a given letter first. */
const ONE_LETTER = /^ [a-z\d] $/;

function textTerm(text: string, isBeginning: boolean): Omit<TextTerm, "isExcluded"> | undefined {
  const lower = text.toLowerCase();
  const id = TRACE_HEADER.exec(lower)?.[1] ?? lower.replaceAll("-", "");
  const isId = ID.test(id);
  const phrases = [text, ...isId && text.includes("-") ? [id] : []].flatMap((text) =>
    phraseOf(text, isBeginning && !ONE_LETTER.test(wordsOf(text))) ?? []
  );
  return phrases.length === 0 ? undefined : { phrases, id: isId ? id : undefined };
}

function fieldTerm(field: string, text: string, isQuoted: boolean): Omit<FieldTerm, "isExcluded"> {
  const value = readValue(field, text, isQuoted);
  const isBeginning = value.is === "beginning";
  const texts = "text" in value ? [value.text] : [];
  const sent = value.is === "text" ? number(value.text) : NaN;
  // As a number is written in JSON.
  if (!Number.isNaN(sent)) texts.push(toJson(sent));
  const phrases = texts.flatMap((text) => phraseOf(text, isBeginning) ?? []);
  const names = namesOf(field);
  const own = wordsOf(field);
  // Words of which others are the end find these, too.
  const before = [own, ...names.map(wordsOf).filter((words) => !words.endsWith(own))];
  return {
    field,
    names,
    isQuoted,
    value,
    phrases: before.flatMap((name) =>
      phrases.length === 0
        ? { words: name, isBeginning: false }
        : phrases.map(({ words }) => ({ words: name.trimEnd() + words, isBeginning }))
    ),
    phrase: phrases[0] ?? null,
  };
}

function readValue(field: string, text: string, isQuoted: boolean): Value {
  const level = field === "level" ? levelNamed(text) : undefined;
  if (level !== undefined) return { is: "range", bounds: [[">=", LOG_LEVELS.indexOf(level)]] };
  const bounds = isQuoted ? [] : readBounds(text, field === "duration" ? milliseconds : number);
  if (bounds.length > 0) return { is: "range", bounds };
  if (isQuoted || !text.endsWith("*")) return { is: "text", text: lowerAscii(text) };
  return text === "*" ? { is: "any" } : { is: "beginning", text: lowerAscii(text.slice(0, -1)) };
}

/** `>1`, `>=1`, `<1`, `<=1`, `1..2`, `1..`, `..2`; empty if it is something else. */
function readBounds(text: string, read: (text: string) => number): readonly Bound[] {
  const [, operator, limit] = /^([<>]=?)(.+)$/.exec(text) ?? [];
  const [, least, most] = /^(.*?)\.\.(.*)$/.exec(text) ?? [];
  const bounds: readonly (readonly [Bound[0], string | undefined])[] = operator === undefined
    ? [[">=", least], ["<=", most]]
    : [[operator as Bound[0], limit]];
  const given = bounds.filter(([, text]) => text).map(([of, text]) => [of, read(text!)] as const);
  return given.some(([, limit]) => Number.isNaN(limit)) ? [] : given;
}

/** The number that a text is; else NaN. */
export const number = (text: string) =>
  /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  "µs": 1e-3,
  "μs": 1e-3,
  ms: 1,
  s: SECOND_MS,
  m: MINUTE_MS,
  min: MINUTE_MS,
  h: HOUR_MS,
};

/** A duration without a unit is in milliseconds. */
function milliseconds(text: string): number {
  const [, digits = "", unit = "ms"] = /^(\d+(?:\.\d+)?)(ns|us|µs|μs|ms|s|min|m|h)?$/.exec(text) ??
    [];
  return digits === "" ? NaN : Number(digits) * UNIT_MS[unit]!;
}

export const lowerAscii = (text: string) => text.replace(/[A-Z]+/g, (upper) => upper.toLowerCase());

/** What a query is compared with. */
export interface Searched {
  /** {@linkcode wordsOf} its names, messages and attributes, each attribute as its name and its value. */
  readonly words: string;
  /** {@linkcode idWords}. */
  readonly ids: string;
  /** The values of the fields that its kind has, several in an array; null: none was sent. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Attributes of what sent it, in which no words are found. */
  readonly resource?: Readonly<Record<string, unknown>> | undefined;
}

/** Whether an entry matches a query, as in `query_sql.ts`. @param options.inWords also finds text within words */
export function matches(
  terms: readonly Term[],
  entry: Searched,
  { inWords = false } = {},
): boolean {
  return terms.every((term) => matchesTerm(term, entry, inWords) !== term.isExcluded);
}

function matchesTerm(
  term: Term,
  { words, ids, fields, attributes, resource = {} }: Searched,
  inWords: boolean,
): boolean {
  const has = ({ words: phrase, isBeginning }: Phrase) =>
    words.includes(phrase.slice(inWords ? 1 : 0, isBeginning || inWords ? -1 : undefined));
  if (term.field === undefined) {
    return term.phrases.some(has) ||
      term.id !== undefined && ids.includes(idWords(term.id).trimEnd());
  }
  const { field, names, value, isQuoted } = term;
  if (Object.hasOwn(fields, field)) {
    return [fields[field]].flat().some((sent) => holds(value, sent));
  }
  const [own, sent] = [attributes, resource].map((all) => {
    const name = nameIn(all, names);
    return name === undefined ? undefined : holds(value, all[name]);
  });
  // "main.go:42": of an entry without such an attribute, the text decides.
  return sent || (own ?? (value.is === "text" && !isQuoted && term.phrases.some(has)));
}

const nameIn = (attributes: Searched["attributes"], names: readonly string[]) =>
  names.find((name) => Object.hasOwn(attributes, name));

/** What ranges of `status_code` are compared with; null: attributes have no such number. */
export function statusCodeIn(attributes: Searched["attributes"]): number | null {
  const sent = attributes[nameIn(attributes, namesOf(STATUS_CODE)) ?? ""];
  return typeof sent === "number" ? sent : null;
}

function holds(value: Value, sent: unknown): boolean {
  if (sent === null || sent === undefined) return false;
  if (value.is === "any") return true;
  if (value.is === "range") {
    return typeof sent === "number" &&
      value.bounds.every(([operator, limit]) =>
        operator === ">"
          ? sent > limit
          : operator === ">="
          ? sent >= limit
          : operator === "<"
          ? sent < limit
          : sent <= limit
      );
  }
  const text = lowerAscii(typeof sent === "string" ? sent : toJson(sent));
  if (value.is === "text") {
    return typeof sent === "number" ? sent === number(value.text) : text === value.text;
  }
  return text.startsWith(value.text);
}

/** A text as a phrase, or as the value of a field. */
export const quoted = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`;

/**
 * Adds the condition that a field or attribute has this value, or has not. Where the query has the opposite, it replaces that.
 *
 * @param isShared the name is one of {@linkcode sharedName}, not the attribute's own
 * @returns undefined: the query would be too long
 */
export function withValue(
  query: string,
  name: string,
  value: unknown,
  isExcluded: boolean,
  isShared = false,
): string | undefined {
  const text = typeof value === "string" ? value : toJson(value);
  // An attribute that comes after others of its name in a query is found as words.
  const isKey = KEY.test(name) && (isShared || name === STATUS_CODE || namesOf(name)[0] === name);
  const term = isKey ? `${name}:${quoted(text)}` : quoted(`${name} ${text}`);
  const [kept, opposite] = isExcluded ? [`-${term}`, term] : [term, `-${term}`];
  const others = ` ${query} `.replace(` ${opposite} `, " ").replace(` ${kept} `, " ").trim();
  const all = `${others} ${kept}`.trim();
  return all.length <= MAX_QUERY_LENGTH ? all : undefined;
}
