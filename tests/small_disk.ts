/** A program of its own in a mount namespace, where an ordinary user may mount a small disk. */
const UNSHARE = ["unshare", "--user", "--map-root-user", "--mount", "sh"];

/** Shell and command that give a program a disk of `mib` MiB in place of a folder, visible to that program alone. */
export function smallDisk(folder: string, mib: number): { shell: string[]; command: string } {
  return { shell: UNSHARE, command: `mount -t tmpfs -o size=${mib}m small '${folder}'` };
}

/** The same as a command of `startServer`'s `before`: the program that would have been run is run in the namespace. */
export function onSmallDisk(folder: string, mib: number): string {
  const { shell, command } = smallDisk(folder, mib);
  return `export FOLDER_COMMAND="${command}"; exec ${
    shell.join(" ")
  } -c 'eval "$FOLDER_COMMAND"; exec "$@"' sh "$@"`;
}

/** The folder as that program sees it, for this process. */
export function insideOf(pid: number, folder: string): string {
  return `/proc/${pid}/root${folder}`;
}

/** Writes a file until the disk is full. */
export async function fillDisk(file: string): Promise<void> {
  using filler = await Deno.open(file, { write: true, create: true, append: true });
  for (let bytes = 1024 * 1024; bytes >= 1;) {
    try {
      if (await filler.write(new Uint8Array(bytes)) < bytes) bytes = Math.floor(bytes / 2);
    } catch {
      bytes = Math.floor(bytes / 2);
    }
  }
}

/** Whether this machine lets a user have a mount of their own; not all do. */
export async function canMount(): Promise<boolean> {
  const [program = "", ...args] = UNSHARE;
  const command = new Deno.Command(program, {
    args: [...args, "-c", "mount -t tmpfs small /mnt"],
    stdout: "null",
    stderr: "null",
  });
  try {
    return (await command.output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
