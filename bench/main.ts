/**
 * `deno task bench [--only=NAME,NAME]`: measures, prints each figure with its budget (budgets.ts), writes them into the
 * table of README.md, and exits with 1 if a budget is missed or a bench fails. The page must be built. Nothing else
 * should run on the machine meanwhile.
 */
import { figureLine, isWithin, type Measured } from "./figures.ts";
import { isInstalled, type Program } from "./programs.ts";
import { updateTable } from "./table.ts";

interface Bench {
  run(): Promise<readonly Measured[]>;
  /** Without one of these it cannot run. */
  readonly needs?: readonly Program[];
  /** Not run by default: it has no budget and takes minutes. */
  readonly byNameOnly?: true;
}

/** In the order of the table. Each is loaded when it runs, so that it does not affect the others. */
const BENCHES: Readonly<Record<string, Bench>> = {
  page: {
    run: async () => (await import("./page.ts")).benchPage(),
    needs: ["chromium"],
  },
  errors: {
    run: async () => (await import("./error_cost.ts")).benchErrorCost(),
    needs: ["chromium"],
  },
  traces: {
    run: async () => (await import("./trace_view.ts")).benchTraceView(),
    needs: ["chromium"],
  },
  lists: {
    run: async () => (await import("./list_scroll.ts")).benchLists(),
    needs: ["chromium"],
  },
  recording: {
    run: async () => (await import("./recording.ts")).benchRecording(),
    needs: ["chromium"],
  },
  serving: {
    run: async () => (await import("./serving.ts")).benchServing(),
    needs: ["wrk"],
  },
  relay: {
    run: async () => (await import("./relay.ts")).benchRelay(),
    needs: ["linux", "wrk", "nginx"],
  },
  memory: {
    run: async () => (await import("./memory.ts")).benchMemory(),
    needs: ["linux"],
  },
  spool: {
    run: async () => (await import("./spool.ts")).benchSpool(),
    needs: ["wrk"],
  },
  scale: {
    run: async () => (await import("./scale.ts")).benchScale(),
    needs: ["linux", "wrk", "nginx"],
    byNameOnly: true,
  },
  inbox: {
    run: async () => (await import("./inbox.ts")).benchInbox(),
  },
  clients: {
    run: async () => (await import("./clients.ts")).benchClients(),
    needs: ["linux", "wrk", "nginx"],
    byNameOnly: true,
  },
  killed: {
    run: async () => (await import("./killed_tabs.ts")).benchKilledTabs(),
    needs: ["chromium"],
    byNameOnly: true,
  },
};

const only = Deno.args.find((arg) => arg.startsWith("--only="))?.slice("--only=".length).split(",");
const unknown = only?.find((name) => BENCHES[name] === undefined);
if (unknown !== undefined) {
  console.error(`Cannot run: no bench "${unknown}". Known are ${Object.keys(BENCHES).join(", ")}.`);
  Deno.exit(2);
}

const results = new Map<string, readonly Measured[]>();
for (const [name, bench] of Object.entries(BENCHES)) {
  if (only ? !only.includes(name) : bench.byNameOnly) continue;
  console.log(`\n${name}`);
  const start = performance.now();
  const measured = await measure(name, bench);
  console.log(`  took ${((performance.now() - start) / 1_000).toFixed(0)} s`);
  results.set(name, measured);
  for (const figure of measured) {
    console.log(`  ${figureLine(figure)}`);
    if ("value" in figure && !isWithin(figure)) Deno.exitCode = 1;
  }
}
await updateTable(results, Object.keys(BENCHES));
Deno.exit();

async function measure(name: string, { run, needs = [] }: Bench): Promise<readonly Measured[]> {
  for (const program of needs) {
    if (await isInstalled(program)) continue;
    return [{ what: `all of \`${name}\``, missing: `needs ${program}` }];
  }
  try {
    return await run();
  } catch (error) {
    console.error(error);
    Deno.exitCode = 1;
    return [{ what: `all of \`${name}\``, missing: "failed" }];
  }
}
