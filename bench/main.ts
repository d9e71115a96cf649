/**
 * `deno task bench [--only=NAME,NAME]`: measures, prints each figure with its budget (budgets.ts), and exits with 1 if a
 * budget is exceeded or a bench fails. The page must be built. Nothing else should run on the machine meanwhile.
 */
import { isAvailable } from "../tests/harness/is_available.ts";
import { nginx } from "../tests/harness/listening_program.ts";
import { findChromium } from "../tools/find_chromium.ts";
import { type Figure, figureLine, isOver, type Missing } from "./figures.ts";

interface Bench {
  /** Loaded when it runs, so that it does not affect the others. */
  readonly load: () => Promise<{ bench(): Promise<readonly (Figure | Missing)[]> }>;
  /** Without one of these it cannot run. */
  readonly needs?: readonly (keyof typeof PROGRAMS)[];
}

const PROGRAMS = {
  "a Chromium": async () => await findChromium() !== undefined,
  // `/proc`
  Linux: () => Deno.build.os === "linux",
  nginx: () => nginx !== undefined,
  // It has no option that ends without an error.
  wrk: () => isAvailable("sh", "-c", "command -v wrk"),
} satisfies Readonly<Record<string, () => boolean | Promise<boolean>>>;

/** In the order in which they run. */
const BENCHES: Readonly<Record<string, Bench>> = {
  size: { load: () => import("./size.ts") },
  upload: { load: () => import("./upload.ts"), needs: ["a Chromium"] },
  page: { load: () => import("./page.ts"), needs: ["a Chromium"] },
  views: { load: () => import("./views.ts"), needs: ["a Chromium"] },
  relay: { load: () => import("./relay.ts"), needs: ["Linux", "wrk", "nginx"] },
  memory: { load: () => import("./memory.ts"), needs: ["Linux"] },
  spool: { load: () => import("./spool.ts"), needs: ["wrk"] },
  inbox: { load: () => import("./inbox.ts") },
};

const only = Deno.args.find((arg) => arg.startsWith("--only="))?.slice("--only=".length).split(",");
const unknown = only?.find((name) => BENCHES[name] === undefined);
if (unknown !== undefined) {
  console.error(`Cannot run: no bench "${unknown}". Known are ${Object.keys(BENCHES).join(", ")}.`);
  Deno.exit(2);
}

for (const [name, bench] of Object.entries(BENCHES)) {
  if (only && !only.includes(name)) continue;
  console.log(`\n${name}`);
  for (const measured of await measure(name, bench)) {
    console.log(figureLine(measured));
    if ("value" in measured && isOver(measured)) Deno.exitCode = 1;
  }
}
Deno.exit();

async function measure(
  name: string,
  { load, needs = [] }: Bench,
): Promise<readonly (Figure | Missing)[]> {
  for (const program of needs) {
    if (!await PROGRAMS[program]()) return [{ what: `all of ${name}`, needs: program }];
  }
  try {
    return await (await load()).bench();
  } catch (error) {
    console.error(error);
    Deno.exitCode = 1;
    return [];
  }
}
