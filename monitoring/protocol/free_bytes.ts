/**
 * Gives memory back that nobody looks at any more. The garbage collector would do it too, but late: it
 * sees little reason in a buffer that lies outside its heap, and none at all once nothing happens.
 *
 * @param bytes all views of their buffer are empty afterwards
 */
export function freeBytes({ buffer }: Uint8Array<ArrayBuffer>): void {
  // Handed to another thread, it is that one's to give back. An empty one may be many bodies' own.
  if (!buffer.detached && buffer.byteLength > 0) buffer.transferToFixedLength(0);
}
