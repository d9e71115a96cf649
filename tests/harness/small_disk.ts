import { join } from "node:path";

/** Name of the file that fills the disk. */
const FILLER = "filler";
const CHUNK = new Uint8Array(1024 * 1024);
/** A tmpfs allocates space in pages. */
const PAGE_BYTES = 4096;
const REFILL_MS = 10;

/**
 * Mounts a small disk: a tmpfs in a mount namespace, which needs no root.
 *
 * @param mib its size
 * @returns undefined where this system does not let a user mount one
 */
export async function mountSmallDisk(mib: number) {
  const path = await Deno.makeTempDir({ prefix: "disk-" });
  const holder = await holdMount(path, mib);
  if (!holder) {
    await Deno.remove(path);
    return undefined;
  }
  const outside = `/proc/${holder.pid}/root${path}`;
  const filler = join(outside, FILLER);
  let refills: ReturnType<typeof setInterval> | undefined;
  const stopRefills = () => clearInterval(refills);
  const enter = ["nsenter", "--target", `${holder.pid}`, "--user", "--mount"];
  /** Fills the disk. */
  const fill = () => fillDisk(filler);
  return {
    /** Mount point, for processes started with `before`. */
    path,
    /** The same folder for other processes. */
    outside,
    /** Command that lets the program after it see the disk. */
    enter: [...enter, "--preserve-credentials"],
    /** The same as a line of a shell. */
    before: `set -- ${enter.join(" ")} --preserve-credentials "$@"`,
    fill,
    /** Fills the disk and keeps it full while others free space, until disposed of or `free` is called. */
    keepFull(): Disposable {
      stopRefills();
      fill();
      refills = setInterval(fill, REFILL_MS);
      return { [Symbol.dispose]: stopRefills };
    },
    /** Frees the space that `fill` took, or so many bytes of it. */
    free(bytes?: number) {
      stopRefills();
      if (bytes === undefined) Deno.removeSync(filler);
      else Deno.truncateSync(filler, Deno.statSync(filler).size - bytes);
    },
    async [Symbol.asyncDispose]() {
      stopRefills();
      // The disk ends with the last process that sees it.
      await holder.stdin.close();
      await holder.status;
      await Deno.remove(path);
    },
  };
}

export type SmallDisk = NonNullable<Awaited<ReturnType<typeof mountSmallDisk>>>;

/** Name of a test that needs a small disk. Where users cannot mount one, the test is ignored, with the reason in its name. */
export async function needsSmallDisk(name: string): Promise<{ name: string; ignore: boolean }> {
  await using disk = await mountSmallDisk(1);
  return disk
    ? { name, ignore: false }
    : { name: `${name} (ignored: this system lets no user mount a disk)`, ignore: true };
}

/** Appends to a file until no page is left. */
function fillDisk(path: string): void {
  using file = Deno.openSync(path, { write: true, create: true, append: true });
  for (let bytes = CHUNK.byteLength; bytes >= PAGE_BYTES;) {
    try {
      if (file.writeSync(CHUNK.subarray(0, bytes)) < bytes) bytes /= 2;
    } catch {
      // ENOSPC: a smaller chunk may still fit.
      bytes /= 2;
    }
  }
}

/** A process that keeps the mount until its input ends. */
async function holdMount(path: string, mib: number): Promise<Deno.ChildProcess | undefined> {
  const mount = `mount -t tmpfs -o size=${mib}m,mode=700 small '${path}'`;
  try {
    const holder = new Deno.Command("unshare", {
      args: [
        ...["--user", "--map-root-user", "--mount"],
        ...["sh", "-c", `${mount} && echo mounted && exec cat`],
      ],
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const output = holder.stdout.getReader();
    const { value } = await output.read();
    await output.cancel();
    if (value) return holder;
    await holder.stdin.close().catch(() => {
      // It has ended: its pipe is broken.
    });
    await holder.status;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return undefined;
}
