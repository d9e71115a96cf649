import type { ImportResult, Refusal } from "../../../monitoring/protocol/inbox_archive.ts";

/** What the inbox says of an import; undefined: the answer says something else, a refusal of the whole. */
export function parseImport(value: unknown): ImportResult | undefined {
  const { taken, present, refused, reasons, detail } = Object(value) as Record<string, unknown>;
  if (!isCount(taken) || !isCount(present) || !isCount(refused) || !Array.isArray(reasons)) {
    return undefined;
  }
  return {
    taken,
    present,
    refused,
    reasons: reasons.filter(isRefusal).map(({ envelope, offset, reason }) => ({
      envelope,
      offset,
      reason,
    })),
    ...(typeof detail === "string" && { broken: detail }),
  };
}

function isRefusal(value: unknown): value is Refusal {
  const { envelope, offset, reason } = Object(value) as Record<string, unknown>;
  return isCount(envelope) && isCount(offset) && typeof reason === "string";
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value);
