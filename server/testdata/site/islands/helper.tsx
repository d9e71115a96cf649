/** A part of an island: it has no default export. */
export function Helper() {
  return null;
}
