import { readFileSync } from "node:fs";
import { FiltersEngine, Request, type RequestType } from "@ghostery/adblocker";

/** Origin that addresses are judged under: rules look at names, and a test's server has none. */
export const JUDGED_ORIGIN = "https://page.example";

/** A request as a content blocker sees it. */
export interface JudgedRequest {
  readonly type: RequestType;
  readonly url: string;
}

/** One rule, and a request that it must block. */
export interface BlockingRule {
  readonly rule: string;
  readonly blocks: JudgedRequest;
}

/**
 * The rules of `blocking_rules.txt`, each with the request that stands above it.
 *
 * @throws if a rule has none
 */
export function readBlockingRules(): readonly BlockingRule[] {
  const text = readFileSync(new URL("blocking_rules.txt", import.meta.url), "utf8");
  const lines = text.split("\n").filter(Boolean);
  return lines.flatMap((rule, index) => {
    if (rule.startsWith("!")) return [];
    const [, type, url] = /^! ([a-z]+) (https:\S+)$/.exec(lines[index - 1] ?? "") ?? [];
    if (type === undefined || url === undefined) {
      throw new Error(`No request stands above the rule ${rule}.`);
    }
    return [{ rule, blocks: { type: type as RequestType, url } }];
  });
}

/**
 * A content blocker with these rules.
 *
 * @returns the rule that blocks a request of a page of {@linkcode JUDGED_ORIGIN}, if one does
 */
export function createBlocker(
  rules: readonly string[],
): (request: JudgedRequest) => string | undefined {
  const engine = FiltersEngine.parse(rules.join("\n"), { debug: true });
  return ({ type, url }) => {
    const { match, filter } = engine.match(
      Request.fromRawDetails({ type, url, sourceUrl: `${JUDGED_ORIGIN}/` }),
    );
    return match ? filter?.rawLine ?? String(filter) : undefined;
  };
}
