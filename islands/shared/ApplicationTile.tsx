import type { CSSProperties } from "react";

/**
 * Two letters on a colour, by which a reader finds an application again. Hidden from screen readers.
 *
 * @param props.name or its label, with an environment
 */
export function ApplicationTile({ name: label }: { name: string }) {
  const name = label.replace(/ \(.*\)$/, "");
  // Applications of one product have the same first word: "shop-web", "shop-worker".
  const letters = (name.split(/[^\p{L}\p{N}]+/u).findLast(Boolean) ?? name).slice(0, 2);
  const style = { "--tint": `var(--${tintOf(name)})` } as CSSProperties;
  return <i className="tile" style={style} aria-hidden="true">{letters}</i>;
}

/** Colours in tokens.css. */
const TINTS = ["flows", "server", "http", "waits", "database", "rendering"] as const;

function tintOf(name: string) {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + character.codePointAt(0)!) % 9973;
  return TINTS[hash % TINTS.length];
}
