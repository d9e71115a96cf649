/** Content codings that the server has bodies for. `identity` is the body itself. */
export type Encoding = "br" | "gzip" | "identity";

/** One member of `Accept-Encoding`: a coding or `*`, with its weight from 0 to 1. */
export interface AcceptedCoding {
  readonly coding: string;
  readonly weight: number;
}

const CODING = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** RFC 9110, 12.4.2: at most three digits after the point. */
const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** RFC 9110, 12.5.3. A member that is not one is left out, as if it had not been sent. */
export function parseAcceptEncoding(header: string): AcceptedCoding[] {
  const accepted: AcceptedCoding[] = [];
  for (const member of header.split(",")) {
    const [name = "", ...parameters] = member.split(";");
    const coding = name.trim().toLowerCase();
    if (!CODING.test(coding)) continue;
    let weight = 1;
    let wellFormed = true;
    for (const parameter of parameters) {
      const [key = "", value = ""] = parameter.split("=", 2).map((part) => part.trim());
      if (key.toLowerCase() === "q" && WEIGHT.test(value)) weight = Number(value);
      else wellFormed = false;
    }
    if (wellFormed) accepted.push({ coding, weight });
  }
  return accepted;
}

/** Between equal weights the smaller body wins. */
const PREFERENCE: readonly Encoding[] = ["br", "gzip", "identity"];
/** RFC 9110, 8.4.1.3: `x-gzip` is `gzip`. */
const ALIASES: Readonly<Record<string, string>> = { "x-gzip": "gzip" };

/**
 * The encoding to answer with, out of those there are. Without the header, and where nothing fits,
 * it is `identity`: RFC 9110 lets a server answer without a coding rather than with 406.
 */
export function negotiateEncoding(
  header: string | null,
  available: readonly Encoding[],
): Encoding {
  if (header === null) return "identity";
  const weights = new Map<string, number>();
  for (const { coding, weight } of parseAcceptEncoding(header)) {
    const name = ALIASES[coding] ?? coding;
    weights.set(name, Math.max(weights.get(name) ?? 0, weight));
  }
  const star = weights.get("*");
  let best: Encoding = "identity";
  let bestWeight = 0;
  for (const encoding of PREFERENCE) {
    if (!available.includes(encoding)) continue;
    // `identity` is acceptable unless it is excluded, but whatever was asked for by name comes
    // first.
    const fallback = encoding === "identity" ? star ?? MENTIONED_BY_NOBODY : star ?? 0;
    const weight = weights.get(encoding) ?? fallback;
    if (weight > bestWeight) {
      best = encoding;
      bestWeight = weight;
    }
  }
  return best;
}

/** Below every weight that can be written (0.001), above none. */
const MENTIONED_BY_NOBODY = 0.0001;
