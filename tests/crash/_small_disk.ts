import { join } from "node:path";

/** A disk of its own that can be filled and freed: a tmpfs in a mount namespace, which needs no administrator. */
export interface SmallDisk extends AsyncDisposable {
  /** Where it is mounted, for processes that {@linkcode before} has run in. */
  readonly path: string;
  /** The same folder as other processes see it. */
  readonly outside: string;
  /** Shell command that makes the program that follows see the disk. */
  readonly before: string;
  /** Takes all room that is left. */
  fill(): void;
  /** Frees what {@linkcode fill} took. */
  free(): void;
}

/** Twice the spool's reserve and what a minute of the load takes. */
const SIZE_MIB = 64;
const CHUNK = new Uint8Array(1024 * 1024);
const CONTINUES_ABOVE = 4096;

/** Mounts a disk; undefined where this system does not let a user have one. */
export async function mountSmallDisk(): Promise<SmallDisk | undefined> {
  const path = await Deno.makeTempDir({ prefix: "disk-" });
  const holder = await hold(path);
  if (!holder) {
    await Deno.remove(path);
    return undefined;
  }
  const outside = `/proc/${holder.pid}/root${path}`;
  const filler = join(outside, "filler");
  return {
    path,
    outside,
    before: `set -- nsenter --target ${holder.pid} --user --mount --preserve-credentials "$@"`,
    fill() {
      using file = Deno.openSync(filler, { write: true, create: true, append: true });
      for (let bytes = CHUNK.byteLength; bytes >= CONTINUES_ABOVE;) {
        try {
          if (file.writeSync(CHUNK.subarray(0, bytes)) < bytes) bytes /= 2;
        } catch {
          // ENOSPC: what is left may still hold a smaller chunk.
          bytes /= 2;
        }
      }
    },
    free: () => Deno.removeSync(filler),
    async [Symbol.asyncDispose]() {
      // The disk ends with the last process that sees it.
      await holder.stdin.close();
      await holder.status;
      await Deno.remove(path);
    },
  };
}

/** A process that keeps the mount until its input ends. */
async function hold(path: string): Promise<Deno.ChildProcess | undefined> {
  const mount = `mount -t tmpfs -o size=${SIZE_MIB}m spool '${path}' && echo mounted && exec cat`;
  try {
    const holder = new Deno.Command("unshare", {
      args: ["--user", "--map-root-user", "--mount", "sh", "-c", mount],
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const output = holder.stdout.getReader();
    const { value } = await output.read();
    await output.cancel();
    if (value) return holder;
    await holder.stdin.close();
    await holder.status;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return undefined;
}
