/** A file of an archive. */
export interface TarFile {
  /** At most 100 bytes of ASCII. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isProgram?: boolean;
}

const BLOCK = 512;
/** Seconds since 1970 of all files: the archive of the same files has the same bytes. npm's own archives have this time. */
const MODIFIED = 499_162_500;

/**
 * Makes an archive in the format ustar: https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html
 *
 * @throws {RangeError} a path does not fit
 */
export function tar(files: readonly TarFile[]): Uint8Array<ArrayBuffer> {
  // The archive ends with two empty blocks.
  const size = files.reduce((sum, { bytes }) => sum + BLOCK + padded(bytes.length), 2 * BLOCK);
  const archive = new Uint8Array(size);
  let offset = 0;
  for (const file of files) {
    archive.set(header(file), offset);
    archive.set(file.bytes, offset + BLOCK);
    offset += BLOCK + padded(file.bytes.length);
  }
  return archive;
}

const padded = (length: number) => Math.ceil(length / BLOCK) * BLOCK;

function header({ path, bytes, isProgram }: TarFile): Uint8Array {
  if (!/^[ -~]{1,100}$/.test(path)) {
    throw new RangeError(`Cannot archive ${path}: use a short path.`);
  }
  const block = new Uint8Array(BLOCK);
  const write = (offset: number, text: string) => block.set(new TextEncoder().encode(text), offset);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
  write(0, path);
  // Mode, user, group, size, time.
  write(100, octal(isProgram ? 0o755 : 0o644, 7) + octal(0, 7) + octal(0, 7));
  write(124, octal(bytes.length, 11) + octal(MODIFIED, 11));
  // A regular file. The checksum is of a header with spaces in its place.
  write(148, "        0");
  write(257, "ustar\x0000");
  write(148, `${octal(block.reduce((sum, byte) => sum + byte, 0), 6)} `);
  return block;
}
