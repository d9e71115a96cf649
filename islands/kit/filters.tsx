import { Id } from "../../components/Id.tsx";
import { LOG_LEVELS } from "../../monitoring/protocol/log_levels.ts";
import { choicesOf, type Filter } from "../data/filters.ts";
import { fragmentTo } from "../data/fragment.ts";

/** The lowest level that is shown. */
export const LEVEL: Filter = {
  name: "level",
  choices: LOG_LEVELS.slice(1).map((level) =>
    [level, level === "fatal" ? level : `${level} and above`] as const
  ),
};

/** Set by links. */
export const TRACE: Filter = {
  name: "trace",
  show: (trace) => (
    <a href={fragmentTo("traces", [trace])}>
      <Id id={trace} />
    </a>
  ),
};

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
    if (!filter || !choicesOf(filter).has(value ?? "")) return term;
    params[name!] = value!;
    return "";
  });
  return { ...params, q: q.trim() };
}
