import { debugIdOf } from "../../server/build/debug_id.ts";

/** A source map, version 3: mappings, or sections of other maps. */
export interface SourceMap {
  readonly mappings?: string;
  readonly sections?: readonly { readonly offset: { readonly line: number } }[];
  readonly debugId?: unknown;
}

const HASHBANG = /^#!.*\n/;
/** A directive is one only in front of all statements; comments may precede it. */
const STRICT = /^(?:\s|\/\/.*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*["']use strict["']/;

/**
 * Writes a debug id into a script of any kind and its source map: a line in front registers it for Sentry's SDKs, by
 * the script's address in a stack; the last line names it for tools. The same files always get the same id.
 *
 * @param map positions move down by the line in front
 */
export function injectDebugId<Map extends SourceMap>(
  script: string,
  map: Map,
): { readonly script: string; readonly map: Map & { readonly debugId: string } } {
  const encoder = new TextEncoder();
  const debugId = debugIdOf(encoder.encode(script), encoder.encode(JSON.stringify(map)));
  const hashbang = HASHBANG.exec(script)?.[0] ?? "";
  const code = script.slice(hashbang.length);
  const directive = STRICT.test(code) ? '"use strict";' : "";
  const register = "!function(){try{var e=globalThis,s=(new Error).stack;" +
    `s&&((e._sentryDebugIds=e._sentryDebugIds||{})[s]="${debugId}")}catch(e){}}();`;
  const end = code.endsWith("\n") ? "" : "\n";
  const { mappings, sections } = map;
  return {
    script: `${hashbang}${directive}${register}\n${code}${end}//# debugId=${debugId}\n`,
    map: {
      ...map,
      ...mappings !== undefined && { mappings: `;${mappings}` },
      ...sections && {
        sections: sections.map(({ offset, ...section }) => ({
          offset: { ...offset, line: offset.line + 1 },
          ...section,
        })),
      },
      debugId,
    },
  };
}
