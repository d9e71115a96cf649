import { readFileSync } from "node:fs";
import { FiltersEngine, Request, type RequestType } from "@ghostery/adblocker";

/** Replaces the test server's origin: rules match host names. */
export const EXAMPLE_ORIGIN = "https://page.example";

/** A request as a content blocker sees it. */
export interface BlockableRequest {
  readonly type: RequestType;
  readonly url: string;
}

/** A rule, and an example request that it blocks. */
export interface BlockingRule {
  readonly rule: string;
  readonly blocks: BlockableRequest;
}

/**
 * Reads the rules of `blocking_rules.txt`, each with its example request in the line above.
 *
 * @throws if a rule has no example
 */
export function readBlockingRules(): readonly BlockingRule[] {
  const text = readFileSync(new URL("blocking_rules.txt", import.meta.url), "utf8");
  const lines = text.split("\n").filter(Boolean);
  return lines.flatMap((rule, index) => {
    if (rule.startsWith("!")) return [];
    const [, type, url] = /^! ([a-z]+) (https:\S+)$/.exec(lines[index - 1] ?? "") ?? [];
    if (type === undefined || url === undefined) {
      throw new Error(`The rule ${rule} has no example request above it.`);
    }
    return [{ rule, blocks: { type: type as RequestType, url } }];
  });
}

/**
 * Creates a content blocker with these rules.
 *
 * @returns a function that returns the rule which blocks a request, if any
 */
export function createBlocker(
  rules: readonly string[],
): (request: BlockableRequest) => string | undefined {
  const engine = FiltersEngine.parse(rules.join("\n"), { debug: true });
  return ({ type, url }) => {
    const { match, filter } = engine.match(
      Request.fromRawDetails({ type, url, sourceUrl: `${EXAMPLE_ORIGIN}/` }),
    );
    return match ? filter?.rawLine ?? String(filter) : undefined;
  };
}
