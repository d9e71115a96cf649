import { statSync } from "node:fs";

/** Tells one file from another that later has its name. Undefined: there is none. */
export function fileIdentity(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}
