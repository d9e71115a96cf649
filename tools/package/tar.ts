import { Buffer } from "node:buffer";

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
  const padding = (length: number) => new Uint8Array(Math.ceil(length / BLOCK) * BLOCK - length);
  const blocks = files.flatMap((file) => [header(file), file.bytes, padding(file.bytes.length)]);
  // The archive ends with two empty blocks.
  return Buffer.concat([...blocks, new Uint8Array(2 * BLOCK)]);
}

function header({ path, bytes, isProgram }: TarFile): Uint8Array {
  if (!/^[ -~]{1,100}$/.test(path)) {
    throw new RangeError(`Cannot archive ${path}: use a short path.`);
  }
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
  // Mode, user, group, size, time.
  const facts = octal(isProgram ? 0o755 : 0o644, 7) + octal(0, 7) + octal(0, 7) +
    octal(bytes.length, 11) + octal(MODIFIED, 11);
  const block = (checksum: string) => {
    // A regular file, and no target of a link.
    const text = `${path.padEnd(100, "\0")}${facts}${checksum}${"0".padEnd(101, "\0")}ustar\x0000`;
    return new TextEncoder().encode(text.padEnd(BLOCK, "\0"));
  };
  // The checksum is of a header with spaces in its place.
  const sum = block(" ".repeat(8)).reduce((sum, byte) => sum + byte, 0);
  return block(`${octal(sum, 6)} `);
}
