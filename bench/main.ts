/**
 * `deno task bench [--only=NAME,NAME]`: measures, prints each figure with its budget (budgets.ts), and exits with 1 if a
 * budget is missed or a bench fails. The page must be built. Nothing else should run on the machine meanwhile.
 */
import { figureLine, isWithin, type Measured } from "./figures.ts";
import { isInstalled, type Program } from "./programs.ts";

interface Bench {
  /** Loaded when it runs, so that it does not affect the others. */
  readonly load: () => Promise<{ bench(): Promise<readonly Measured[]> }>;
  /** Without one of these it cannot run. */
  readonly needs?: readonly Program[];
  /** Not run by default: it has no budget and takes minutes. */
  readonly byNameOnly?: true;
}

/** Needed to compare relays. */
const RELAY_PROGRAMS = ["linux", "wrk", "nginx"] as const;

/** In the order in which they run. */
const BENCHES: Readonly<Record<string, Bench>> = {
  page: { load: () => import("./page.ts"), needs: ["chromium"] },
  errors: { load: () => import("./error_cost.ts"), needs: ["chromium"] },
  traces: { load: () => import("./trace_view.ts"), needs: ["chromium"] },
  lists: { load: () => import("./list_scroll.ts"), needs: ["chromium"] },
  recording: { load: () => import("./recording.ts"), needs: ["chromium"] },
  serving: { load: () => import("./serving.ts"), needs: ["wrk"] },
  relay: { load: () => import("./relay.ts"), needs: RELAY_PROGRAMS },
  memory: { load: () => import("./memory.ts"), needs: ["linux"] },
  spool: { load: () => import("./spool.ts"), needs: ["wrk"] },
  scale: { load: () => import("./scale.ts"), needs: RELAY_PROGRAMS, byNameOnly: true },
  inbox: { load: () => import("./inbox.ts") },
  killed: { load: () => import("./killed_tabs.ts"), needs: ["chromium"], byNameOnly: true },
};

const only = Deno.args.find((arg) => arg.startsWith("--only="))?.slice("--only=".length).split(",");
const unknown = only?.find((name) => BENCHES[name] === undefined);
if (unknown !== undefined) {
  console.error(`Cannot run: no bench "${unknown}". Known are ${Object.keys(BENCHES).join(", ")}.`);
  Deno.exit(2);
}

for (const [name, bench] of Object.entries(BENCHES)) {
  if (only ? !only.includes(name) : bench.byNameOnly) continue;
  console.log(`\n${name}`);
  const start = performance.now();
  const measured = await measure(name, bench);
  console.log(`  took ${((performance.now() - start) / 1_000).toFixed(0)} s`);
  for (const figure of measured) {
    console.log(`  ${figureLine(figure)}`);
    if ("value" in figure && !isWithin(figure)) Deno.exitCode = 1;
  }
}
Deno.exit();

async function measure(name: string, { load, needs = [] }: Bench): Promise<readonly Measured[]> {
  for (const program of needs) {
    if (await isInstalled(program)) continue;
    return [{ what: `all of \`${name}\``, missing: `needs ${program}` }];
  }
  try {
    const { bench } = await load();
    return await bench();
  } catch (error) {
    console.error(error);
    Deno.exitCode = 1;
    return [{ what: `all of \`${name}\``, missing: "failed" }];
  }
}
