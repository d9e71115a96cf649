import { LOG_LEVELS, type LogLevel } from "../../monitoring/protocol/log_levels.ts";

/** A filter of a list: a parameter of the address. */
export interface Filter {
  /** The parameter. */
  readonly name: string;
  /** Default: the name. */
  readonly label?: string;
  /** What selects no value; default: "any". */
  readonly any?: string;
  /** Values, or pairs of a value and its text. */
  readonly choices: readonly (string | readonly [value: string, text: string])[];
}

/** A value of a filter and its text. */
type Choice = readonly [value: string, text: string];

/** The choices of a filter by value, each once. A link may have another value than those. */
export function choicesOf({ choices }: Filter, chosen = ""): readonly Choice[] {
  const texts = new Map(
    choices.map((choice) => typeof choice === "string" ? [choice, choice] : choice),
  );
  if (chosen !== "" && !texts.has(chosen)) texts.set(chosen, chosen);
  return [...texts];
}

export const labelOf = ({ name, label }: Filter) => label ?? name[0]!.toUpperCase() + name.slice(1);

/** `name:value` or `name:"a value"`; of other terms, what may have spaces in it. */
const TERM = /(?<!\S)(?:(\w+):(?:"([^"]*)"|(\S+))|\S*"(?:\\.|[^"])*"?)/g;

/**
 * Splits a query into filters and the text to search for. Only known values become filters: the rest may be a text, as
 * in "http://host".
 *
 * @returns parameters of the address, with `q`
 */
export function readQuery(text: string, filters: readonly Filter[]): Record<string, string> {
  const params: Record<string, string> = {};
  const q = text.replace(TERM, (term, name?: string, quoted?: string, bare?: string) => {
    const filter = filters.find((one) => one.name === name);
    const value = quoted ?? bare;
    if (!filter || !choicesOf(filter).some(([known]) => known === value)) return term;
    params[name!] = value!;
    return "";
  });
  return { ...params, q: q.trim() };
}

/** The lowest level in the address; undefined: none, or unknown. */
export function levelParam(params: URLSearchParams): LogLevel | undefined {
  return LOG_LEVELS.find((level) => level === params.get("level"));
}

/** Chooses the lowest level that is shown. */
export const LEVEL_FILTER: Filter = {
  name: "level",
  choices: LOG_LEVELS.slice(1).map((level) =>
    [level, level === "fatal" ? level : `${level} and above`] as const
  ),
};
