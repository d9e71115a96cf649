/**
 * `deno task bench [--only=NAME,NAME]`: measures, prints each figure with its budget (budgets.ts), and exits with 1 if a
 * budget is exceeded or a bench fails. The page must be built. Nothing else should run on the machine meanwhile. Budgets
 * against others are ratios of rounds in a row. A bench is a function that returns figures, and fails without a program
 * that it needs: Linux (relay, memory, intake), `wrk` (relay, spool), nginx (relay), a Chromium (page, views, upload).
 */
import { type Figure, figureLine, isOver } from "./figures.ts";
import { readArguments, runTask, UserError } from "../tools/command_line.ts";

/** In the order in which they run. Each is loaded when it runs, so that it does not affect the others. */
const BENCHES = "size upload page views relay memory spool inbox intake".split(" ");

const pathOf = (name: string) => import.meta.resolve(`./${name}.ts`);

async function runBenches(): Promise<number> {
  const usage = "deno task bench [--only=NAME,NAME]";
  const { values } = readArguments("measure", usage, { options: { only: { type: "string" } } });
  const names = values.only?.split(",") ?? BENCHES;
  let code = 0;
  for (const name of names) {
    if (!BENCHES.includes(name)) throw new UserError(`Cannot measure: no bench "${name}".`);
    console.log(`\n${name}`);
    try {
      const module: { bench(): Promise<readonly Figure[]> } = await import(pathOf(name));
      for (const measured of await module.bench()) {
        console.log(figureLine(measured));
        if (isOver(measured)) code = 1;
      }
    } catch (error) {
      // For example, a program that it needs is not installed.
      console.error(error instanceof UserError ? error.message : error);
      code = 1;
    }
  }
  return code;
}

await runTask(runBenches, 2);
