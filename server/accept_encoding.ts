/** Content codings of stored bodies. `identity` means not encoded. */
export type Encoding = "br" | "gzip" | "identity";

/** For equal weights the smaller body is preferred. */
const PREFERENCE: readonly Encoding[] = ["br", "gzip", "identity"];

/** Below the smallest weight of a header (0.001), above 0: codings that are named come first. */
const UNNAMED_IDENTITY = 0.0001;

/**
 * Chooses an encoding (RFC 9110, 12.5.3). Without the header, and if none is acceptable, `identity`: the RFC permits
 * this instead of 406.
 */
export function negotiateEncoding(
  header: string | null,
  available: readonly Encoding[],
): Encoding {
  if (header === null) return "identity";
  const weights = parseWeights(header);
  const star = weights.get("*");
  let best: Encoding = "identity";
  let bestWeight = 0;
  for (const encoding of PREFERENCE) {
    if (!available.includes(encoding)) continue;
    const fallback = star ?? (encoding === "identity" ? UNNAMED_IDENTITY : 0);
    const weight = weights.get(encoding) ?? fallback;
    if (weight > bestWeight) {
      best = encoding;
      bestWeight = weight;
    }
  }
  return best;
}

/** A coding or `*`, with a weight of at most three digits after the point (RFC 9110, 12.4.2). */
const MEMBER = /^([^\s;]+)\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;

/** The weights of the codings in a header, from 0 to 1. Malformed members are ignored. */
function parseWeights(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const member of header.split(",")) {
    const [, name, weight = "1"] = MEMBER.exec(member.trim()) ?? [];
    if (name === undefined) continue;
    // RFC 9110, 8.4.1.3: `x-gzip` is `gzip`.
    const coding = name.toLowerCase().replace(/^x-gzip$/, "gzip");
    weights.set(coding, Math.max(weights.get(coding) ?? 0, Number(weight)));
  }
  return weights;
}
