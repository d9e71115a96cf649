/** Whether two lists hold the same things in the same order: what was made of the one need not be made again. */
export function isSame<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((one, i) => one === b[i]);
}
