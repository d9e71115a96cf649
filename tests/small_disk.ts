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
  /** Takes all room, also what others free later, until disposed of or {@linkcode free} is called. */
  keepFull(): Disposable;
  /** Frees what {@linkcode fill} took. */
  free(): void;
}

/** Name of the file that takes the room. */
const FILLER = "filler";
const CHUNK = new Uint8Array(1024 * 1024);
/** A tmpfs gives out room in pages. */
const PAGE_BYTES = 4096;
const REFILL_MS = 10;

/**
 * Mounts a disk.
 *
 * @param mib its size
 * @returns undefined where this system does not let a user mount one
 */
export async function mountSmallDisk(mib: number): Promise<SmallDisk | undefined> {
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
  const fill = () => fillDisk(filler);
  return {
    path,
    outside,
    before: `set -- nsenter --target ${holder.pid} --user --mount --preserve-credentials "$@"`,
    fill,
    keepFull() {
      stopRefills();
      fill();
      refills = setInterval(fill, REFILL_MS);
      return { [Symbol.dispose]: stopRefills };
    },
    free() {
      stopRefills();
      Deno.removeSync(filler);
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

/**
 * Name of a test that needs a small disk, and whether it is ignored: its title states why, on a system that does not let
 * a user mount one.
 */
export async function needsSmallDisk(name: string): Promise<{ name: string; ignore: boolean }> {
  await using disk = await mountSmallDisk(1);
  return disk
    ? { name, ignore: false }
    : { name: `${name} (ignored: this system lets no user mount a disk)`, ignore: true };
}

/** Appends to a file until not even a page is left. */
function fillDisk(path: string): void {
  using file = Deno.openSync(path, { write: true, create: true, append: true });
  for (let bytes = CHUNK.byteLength; bytes >= PAGE_BYTES;) {
    try {
      if (file.writeSync(CHUNK.subarray(0, bytes)) < bytes) bytes /= 2;
    } catch {
      // ENOSPC: what is left may still hold a smaller chunk.
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
