/** Content codings of stored bodies. `identity` means not encoded. */
export type Encoding = "br" | "gzip" | "identity";

/** One member of `Accept-Encoding`: a coding or `*`, with its weight from 0 to 1. */
export interface AcceptedCoding {
  readonly coding: string;
  readonly weight: number;
}

const CODING = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** RFC 9110, 12.4.2: at most three digits after the point. */
const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** Parses `Accept-Encoding` (RFC 9110, 12.5.3). Ignores malformed members. */
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

/** For equal weights the smaller body is preferred. */
const PREFERENCE: readonly Encoding[] = ["br", "gzip", "identity"];
/** RFC 9110, 8.4.1.3: `x-gzip` is `gzip`. */
const ALIASES: Readonly<Record<string, string>> = { "x-gzip": "gzip" };

/**
 * Chooses an encoding. Without the header, and if none is acceptable, `identity`: RFC 9110 permits this
 * instead of 406.
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
    // `identity` is acceptable unless excluded, but codings named in the header come first.
    const fallback = encoding === "identity" ? star ?? UNNAMED_IDENTITY : star ?? 0;
    const weight = weights.get(encoding) ?? fallback;
    if (weight > bestWeight) {
      best = encoding;
      bestWeight = weight;
    }
  }
  return best;
}

/** Below the smallest weight of the header (0.001), above 0. */
const UNNAMED_IDENTITY = 0.0001;
