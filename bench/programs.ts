import { findChromium } from "../tools/test/find_chromium.ts";

/** What a bench needs to be installed. `linux`: it reads `/proc`. */
export type Program = "chromium" | "linux" | "nginx" | "wrk";

/** Whether this machine has a program. */
export async function isInstalled(program: Program): Promise<boolean> {
  if (program === "linux") return Deno.build.os === "linux";
  if (program === "chromium") return await findChromium() !== undefined;
  try {
    await new Deno.Command(program, { args: ["-v"], stdout: "null", stderr: "null" }).output();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
