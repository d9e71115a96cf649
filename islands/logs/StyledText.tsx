import type { CSSProperties } from "react";
import type { StyleRun } from "../../monitoring/models/ansi.ts";

/** A text in the colours and styles that its program gave it for a terminal. */
export function StyledText({ text, styles }: { text: string; styles: readonly StyleRun[] }) {
  const runs = [[0, ""] as const, ...styles, [text.length, ""] as const];
  return runs.slice(0, -1).map(([at, names], index) => {
    const part = text.slice(at, runs[index + 1]![0]);
    const style = Object.assign({}, ...names.split(" ").map((name) => STYLES.get(name)));
    return part && (names === "" ? part : <span key={index} style={style}>{part}</span>);
  });
}

/** Of `models/ansi.ts`. Red and yellow need not mean failure or waiting here. */
const STYLES: ReadonlyMap<string, CSSProperties> = new Map<string, CSSProperties>([
  ["bold", { fontWeight: 600 }],
  ["faint", { color: "var(--quiet)" }],
  ["italic", { fontStyle: "italic" }],
  ["underline", { textDecoration: "underline" }],
  ["strike", { textDecoration: "line-through" }],
  ["badge", { outline: "1px solid currentColor", outlineOffset: "-1px" }],
  ["red", { color: "var(--refused)" }],
  ["yellow", { color: "var(--waits)" }],
  ["green", { color: "var(--flows)" }],
  ["cyan", { color: "var(--flows)" }],
  ["blue", { color: "var(--http)" }],
  ["magenta", { color: "var(--server)" }],
]);
