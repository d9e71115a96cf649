import type { Kind } from "../../components/verdict.ts";

/** What a level, or how an error ended, is marked with: a cross, a diamond, a dot. */
export function levelKind(level: string): Kind {
  if (level === "fatal" || level === "error") return "refused";
  return level === "warning" || level === "warn" ? "waits" : "flows";
}

/** Whether the code expected the error, in words; empty where nobody said. */
export function handledInWords(handled: boolean | null): string {
  if (handled === null) return "";
  return handled ? "handled" : "not handled";
}
