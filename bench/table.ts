/** The table of all figures in README.md. */
import { fileURLToPath } from "node:url";
import { figureTexts, isWithin, type Measured } from "./figures.ts";

const README = new URL("README.md", import.meta.url);
const BEGIN = "<!-- Written by deno task bench: begin -->";
const END = "<!-- Written by deno task bench: end -->";
const HEAD = `| Bench | What | Median | Least to most | Budget | Holds | Measured on |
| --- | --- | ---: | ---: | ---: | --- | --- |`;

/**
 * Replaces the rows of the benches that ran. Rows of the others keep their date.
 *
 * @param order names of all benches, in the order of the table
 */
export async function updateTable(
  results: ReadonlyMap<string, readonly Measured[]>,
  order: readonly string[],
): Promise<void> {
  const text = await Deno.readTextFile(README);
  const date = new Date().toISOString().slice(0, 10);
  await Deno.writeTextFile(README, withTable(text, results, { order, date }));
  // Aligns the columns.
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", fileURLToPath(README)] })
    .output();
}

/** A text with an updated table. */
export function withTable(
  text: string,
  results: ReadonlyMap<string, readonly Measured[]>,
  { order, date }: { readonly order: readonly string[]; readonly date: string },
): string {
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin === -1 || end < begin) {
    throw new Error(`Cannot write the table: bench/README.md must contain ${BEGIN} and ${END}.`);
  }
  const before = text.slice(begin + BEGIN.length, end).split("\n");
  const rows = order.flatMap((bench) => {
    const measured = results.get(bench);
    if (measured === undefined) return before.filter((row) => row.startsWith(`| \`${bench}\` `));
    return measured.map((one) => `| \`${bench}\` | ${cells(one).join(" | ")} | ${date} |`);
  });
  const table = [BEGIN, "", HEAD, ...rows, "", END].join("\n");
  return text.slice(0, begin) + table + text.slice(end + END.length);
}

function cells(measured: Measured): string[] {
  if ("missing" in measured) {
    return [measured.what, "", "", "", `not measured: ${measured.missing}`];
  }
  const { value, spread, budget } = figureTexts(measured);
  const holds = budget === "" ? "" : isWithin(measured) ? "yes" : "**no**";
  return [measured.what, value, spread, budget, holds];
}
