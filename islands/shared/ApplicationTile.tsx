/** Two letters on a colour, by which a reader finds an application again. Hidden from screen readers. */
export function ApplicationTile({ name }: { name: string }) {
  // Applications of one product have the same first word: "shop-web", "shop-worker".
  const letters = (name.split(/[^\p{L}\p{N}]+/u).findLast(Boolean) ?? name).slice(0, 2);
  return <i className={`tile tint-${tintOf(name)}`} aria-hidden="true">{letters}</i>;
}

/** Number of colours in charts.css. */
const TINTS = 6;

function tintOf(name: string): number {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + character.codePointAt(0)!) % 9973;
  return hash % TINTS;
}
