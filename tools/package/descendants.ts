import process from "node:process";
import { setTimeout } from "node:timers/promises";

/** Maximum time for a program to end, before it is killed. */
export const MAX_END_MS = 5_000;
const CHECK_MS = 50;

/** One line for each process: its pid and its parent's. Linux: by the shell alone, because small images have no `ps`. */
const LIST = Deno.build.os === "linux"
  ? 'for file in /proc/[0-9]*/stat; do read -r line <$file && echo "$line"; done'
  : "ps -A -o pid=,ppid=";

/** The pids of a process's children, their children and so on. None on Windows. */
export function descendantsOf(pid: number): number[] {
  if (Deno.build.os === "windows") return [];
  const { stdout } = new Deno.Command("sh", { args: ["-c", LIST], stderr: "null" }).outputSync();
  // proc(5): the name in parentheses may contain spaces and parentheses.
  const lines = new TextDecoder().decode(stdout).matchAll(/^ *(\d+) +(?:\(.*\) . )?(\d+)/gm);
  const rows = Array.from(lines, (match) => match.slice(1).map(Number));
  const tree = [pid];
  for (const member of tree) {
    for (const [child = 0, parent] of rows) if (parent === member) tree.push(child);
  }
  return tree.slice(1);
}

/** Ends what a program has left running: npm and `sh` do not pass every signal on. */
export async function endPrograms(pids: readonly number[], signal: Deno.Signal): Promise<void> {
  let running = pids.filter((pid) => send(pid, signal));
  for (let ms = 0; ms < MAX_END_MS && running.length > 0; ms += CHECK_MS) {
    await setTimeout(CHECK_MS);
    running = running.filter((pid) => send(pid, 0));
  }
  for (const pid of running) send(pid, "SIGKILL");
}

/** Returns false if the process has ended, or is another user's. */
function send(pid: number, signal: Deno.Signal | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
