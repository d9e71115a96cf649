import { choicesOf, type Filter } from "../data/filters.ts";

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
