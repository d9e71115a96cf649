/** A value would not be the same after it went through JSON. */
export class JsonError extends Error {
  override name = "JsonError";
}

/**
 * Refuses what JSON drops or changes: the browser must hydrate with the values that the page was
 * made of.
 */
export function checkJson(value: unknown, where: string): void {
  if (value === null || typeof value === "string" || typeof value === "boolean") return;
  if (typeof value === "number" && Number.isFinite(value)) return;
  if (Array.isArray(value)) {
    value.forEach((item, index) => checkJson(item, `${where}[${index}]`));
    return;
  }
  if (typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype) {
    for (const [key, item] of Object.entries(value)) {
      // An absent property is the same before and after.
      if (item !== undefined) checkJson(item, `${where}.${key}`);
    }
    return;
  }
  const what = typeof value === "object" ? value.constructor?.name ?? "an object" : typeof value;
  throw new JsonError(
    `Cannot send ${where} to the browser: ${what} is no JSON value; pass plain data.`,
  );
}
