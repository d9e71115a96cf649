/**
 * `deno task bench [--only=NAME]`: measures what DESIGN's budgets say, prints each figure beside its
 * budget, and ends with 1 where one is missed. The page must be built. Nothing else should run on the
 * machine meanwhile.
 */
import { type Figure, figureLine, isWithin } from "./figures.ts";

/** Each by its name; loaded when it runs, so that none weighs on another. */
const BENCHES: Readonly<Record<string, () => Promise<Figure[]>>> = {
  delivery: async () => (await import("./delivery.ts")).benchDelivery(),
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
    console.error(`There is no bench ${name}; there are ${Object.keys(BENCHES).join(", ")}.`);
    Deno.exit(2);
  }
  console.log(`\n${name}`);
  for (const figure of await bench()) {
    console.log(`  ${figureLine(figure)}`);
    if (!isWithin(figure)) Deno.exitCode = 1;
  }
}
Deno.exit();
