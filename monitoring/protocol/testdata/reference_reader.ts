/**
 * A slow, simple reader of envelopes to compare the scanner with. It reads the whole envelope byte by byte and shares no
 * code with the scanner.
 */

/** `undefined`: the envelope is broken. */
export type ReferenceResult =
  | { header: unknown; items: { header: unknown; payload: number[] }[] }
  | undefined;

/** The first line, and whether only blank lines follow it; `undefined`: it is not a header. */
export function headerByReference(
  bytes: readonly number[],
): { header: Record<string, unknown>; isEmpty: boolean } | undefined {
  if (bytes.length === 0) return undefined;
  const line = lineFrom(bytes, 0);
  const header = objectIn(line);
  return header && { header, isEmpty: bytes.slice(line.length).every((byte) => byte === 10) };
}

export function readByReference(bytes: readonly number[]): ReferenceResult {
  const header = headerByReference(bytes)?.header;
  if (header === undefined) return undefined;
  const headerLine = lineFrom(bytes, 0);

  const items: { header: unknown; payload: number[] }[] = [];
  let at = headerLine.length + 1;
  while (at < bytes.length) {
    if (bytes[at] === 10) {
      at++;
      continue;
    }
    const itemLine = lineFrom(bytes, at);
    const item = objectIn(itemLine);
    if (item === undefined) return undefined;
    if (typeof item.type !== "string" || item.type.length === 0) return undefined;
    const start = Math.min(at + itemLine.length + 1, bytes.length);

    let payload: number[];
    if ("length" in item) {
      const length = item.length;
      if (typeof length !== "number" || length % 1 !== 0 || length < 0) return undefined;
      if (start + length > bytes.length) return undefined;
      payload = bytes.slice(start, start + length);
    } else {
      payload = lineFrom(bytes, start);
    }
    items.push({ header: item, payload });

    const after = start + payload.length;
    if (after < bytes.length && bytes[after] !== 10) return undefined;
    at = after + 1;
  }
  return { header, items };
}

function lineFrom(bytes: readonly number[], from: number): number[] {
  const line: number[] = [];
  for (let at = from; at < bytes.length && bytes[at] !== 10; at++) line.push(bytes[at] ?? 0);
  return line;
}

function objectIn(line: readonly number[]): Record<string, unknown> | undefined {
  if (line.length > 65536) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
      .decode(Uint8Array.from(line));
    const value = JSON.parse(text);
    return value !== null && typeof value === "object" && !Array.isArray(value) ? value : undefined;
  } catch {
    // Not UTF-8, or not JSON: broken.
    return undefined;
  }
}
