import type { ReactNode } from "react";
import { formatDuration, formatNumber } from "../../components/format.ts";
import type { AiUsage } from "../../monitoring/models/ai/ai_row.ts";
import type { Column } from "../kit/Table.tsx";

const ONCE =
  "Of an agent, the sum of its calls that sent them: its own figure repeats theirs, and counts only if none did";
export const TIPS = {
  in: `Tokens of the prompts. ${ONCE}`,
  out: `Tokens of the responses. ${ONCE}`,
  cost: `In US dollars, as the sender computed it (gen_ai.cost.*). ${ONCE}`,
  first: "From its start to the first part of a response; not known of calls that do not send it",
};

export function formatCost(cost: number): string {
  return `$${cost >= 1 || cost === 0 ? cost.toFixed(2) : Number(cost.toPrecision(3))}`;
}

/** An en dash for what was not sent. */
export const sentOr = <Value,>(value: Value | null, format: (value: Value) => string) =>
  value === null ? <span className="quiet">–</span> : format(value);

/** A column of figures. @param rest what else it is */
export const figureColumn = <Row,>(
  title: string,
  tip: string,
  width: number,
  cell: (row: Row) => ReactNode,
  rest: Partial<Pick<Column<unknown>, "isWide" | "className" | "by">> = {},
) => ({ title, tip, width, numeric: true, isWide: true, ...rest, cell }) satisfies Column<Row>;

type Usage = Omit<AiUsage, "calls">;
export const USAGE_COLUMNS = {
  in: figureColumn<Usage>("In", TIPS.in, 4, (row) => sentOr(row.input_tokens, formatNumber)),
  out: figureColumn<Usage>("Out", TIPS.out, 4.5, (row) => sentOr(row.output_tokens, formatNumber)),
  cost: figureColumn<Usage>("Cost", TIPS.cost, 6, ({ cost }) => sentOr(cost, formatCost)),
};

export const durationText = (ms: number | null) => sentOr(ms, formatDuration);
