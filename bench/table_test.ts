import { equal, match } from "node:assert/strict";
import type { Measured } from "./figures.ts";
import { withTable } from "./table.ts";

const BEGIN = "<!-- Written by deno task bench: begin -->";
const END = "<!-- Written by deno task bench: end -->";
const ORDER = ["relay", "spool"];

const tableOf = (bench: string, figures: readonly Measured[], text: string, date: string) =>
  withTable(text, new Map([[bench, figures]]), { order: ORDER, date });

const empty = `# Title\n\n${BEGIN}\n\n${END}\n\nProse\n`;

Deno.test("a figure with rounds and a missed budget → its row shows spread, budget and verdict", () => {
  const figure: Measured = {
    what: "against nginx",
    value: 0.19,
    unit: "×",
    rounds: [0.21, 0.18],
    budget: { least: 0.28 },
  };
  const text = tableOf("relay", [figure], empty, "2026-11-22");
  match(text, /^# Title\n[^]*\nProse\n$/);
  match(
    text,
    /^\| `relay` \| against nginx \| 0\.19 × \| 0\.18 to 0\.21 \| at least 0\.28 × \| \*\*no\*\* \| 2026-11-22 \|$/m,
  );
});

Deno.test("a bench ran alone → the rows of others keep their figures and dates", () => {
  const rate: Measured = { what: "accepted", value: 7_002.4, unit: "/s" };
  const first = tableOf("spool", [rate], empty, "2026-11-21");
  const second = tableOf("relay", [{ what: "all", missing: "needs wrk" }], first, "2026-11-22");
  const rows = second.split("\n").filter((line) => line.startsWith("| `"));
  equal(rows[0], "| `relay` | all |  |  |  | not measured: needs wrk | 2026-11-22 |");
  equal(rows[1], "| `spool` | accepted | 7,002 /s |  |  |  | 2026-11-21 |");
  equal(rows.length, 2);
});
