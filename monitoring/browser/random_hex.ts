/**
 * Random bytes from the browser's cryptographic source, as lower-case hex. (`crypto.randomUUID` is
 * missing where a page comes over plain http from another machine.)
 */
export function randomHex(bytes: number): string {
  let hex = "";
  for (const byte of crypto.getRandomValues(new Uint8Array(bytes))) {
    hex += byte.toString(16).padStart(2, "0");
  }
  return hex;
}
