/**
 * `deno task bench [--only=NAME]`: measures, prints each figure with its budget (budgets.ts), and exits with 1 if one is
 * missed. The page must be built. Nothing else should run on the machine meanwhile.
 */
import { type Figure, figureLine, isWithin } from "./figures.ts";

/** Each bench is loaded when it runs, so that it does not affect the others. */
const BENCHES: Readonly<Record<string, () => Promise<Figure[]>>> = {
  delivery: async () => (await import("./delivery.ts")).benchDelivery(),
  errors: async () => (await import("./error_cost.ts")).benchErrorCost(),
  killed: async () => (await import("./killed_tabs.ts")).benchKilledTabs(),
  clients: async () => (await import("./clients.ts")).benchClients(),
  inbox: async () => (await import("./inbox.ts")).benchInbox(),
  memory: async () => (await import("./memory.ts")).benchMemory(),
  relay: async () => (await import("./relay.ts")).benchRelay(),
  spool: async () => (await import("./spool.ts")).benchSpool(),
  traces: async () => (await import("./trace_view.ts")).benchTraceView(),
};

const only = Deno.args.find((arg) => arg.startsWith("--only="))?.slice("--only=".length);
const names = only === undefined ? Object.keys(BENCHES) : [only];
for (const name of names) {
  const bench = BENCHES[name];
  if (bench === undefined) {
    console.error(`Cannot run: no bench "${name}". Known are ${Object.keys(BENCHES).join(", ")}.`);
    Deno.exit(2);
  }
  console.log(`\n${name}`);
  for (const figure of await bench()) {
    console.log(`  ${figureLine(figure)}`);
    if (!isWithin(figure)) Deno.exitCode = 1;
  }
}
Deno.exit();
