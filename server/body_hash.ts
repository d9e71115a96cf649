import { createHash } from "node:crypto";

/** A name for a body's content, for its entity tag or its file: 128 bits of SHA-256, base64url. */
export function bodyHash(body: Uint8Array): string {
  return createHash("sha256").update(body).digest().subarray(0, 16).toString("base64url");
}
