import process from "node:process";
import { setTimeout } from "node:timers/promises";

/** Maximum time for programs to end after a signal. */
const MAX_END_MS = 3_000;
const CHECK_MS = 100;

/** Start times by pid: that of a later process with the same pid differs. */
export type Processes = ReadonlyMap<number, string>;

/**
 * Ends a child of this process, and all that run below it: `sh` and npm do not pass every signal on.
 *
 * @param signal for the child; those that still run then get SIGTERM, at last SIGKILL. A child that continues after SIGINT
 *   may ask for confirmation: nothing else ends
 * @param isSent a terminal has sent the signal
 */
export async function endTree(child: number, signal: Deno.Signal, isSent: boolean): Promise<void> {
  // Before the signal: when a process ends, its children get another parent.
  let tree = findTree(child);
  if (!isSent && tree.has(child)) send(child, signal);
  await wait(() => !tree.has(child) && (signal !== "SIGINT" || tree.size === 0));
  if (signal === "SIGINT" && tree.has(child)) return;
  // A stopped process starts no other one before it is killed.
  for (const next of ["SIGTERM", "SIGSTOP", "SIGKILL"] as const) {
    const signalled = new Set<number>();
    await wait(() => {
      const added = [...tree.keys()].filter((pid) => !signalled.has(pid));
      for (const pid of added) if (send(pid, next)) signalled.add(pid);
      return tree.size === 0 || next === "SIGSTOP" && added.length === 0;
    });
  }

  async function wait(isDone: () => boolean): Promise<void> {
    const end = performance.now() + MAX_END_MS;
    while (performance.now() < end && !isDone()) {
      await setTimeout(CHECK_MS);
      tree = findTree(child, tree);
    }
  }
}

/** The running processes of a tree, parents first, also below `known` ones. Without `/proc`: the child alone. */
export function findTree(child: number, known: Processes = new Map()): Processes {
  if (Deno.build.os !== "linux") return new Map(send(child, 0) ? [[child, ""]] : []);
  const all = [...Deno.readDirSync("/proc")].flatMap(({ name }) => {
    try {
      // proc(5): the name in parentheses may contain spaces and parentheses.
      const stat = Deno.readTextFileSync(`/proc/${name}/stat`).split(") ").at(-1)!.split(" ");
      const [state, parent, startTime = ""] = [stat[0], Number(stat[1]), stat[19]];
      return state === "Z" ? [] : [{ pid: Number(name), parent, startTime }];
    } catch {
      // Not a process, or one that has ended.
      return [];
    }
  });
  const tree = new Map<number, string>();
  for (const { pid, parent, startTime } of all) {
    const isChild = pid === child && parent === Deno.pid;
    if (isChild || known.get(pid) === startTime) tree.set(pid, startTime);
  }
  // Visits those that it adds, too.
  for (const [member] of tree) {
    for (const { pid, parent, startTime } of all) if (parent === member) tree.set(pid, startTime);
  }
  return tree;
}

/** Returns false if the process has ended, or is another user's. */
export function send(pid: number, signal: Deno.Signal | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
