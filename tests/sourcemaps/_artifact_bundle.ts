import { Buffer } from "node:buffer";
import { inflateRawSync } from "node:zlib";

interface BundleManifest {
  readonly org?: string;
  readonly project?: string;
  readonly release?: string;
  readonly files: Readonly<
    Record<string, { type: string; url: string; headers?: Record<string, string> }>
  >;
}

/**
 * Parses an upload of `sentry-cli`: eight bytes (`SYSB` and a version), then a ZIP with a `manifest.json`.
 *
 * @throws the bytes are not such a bundle
 */
export function readArtifactBundle(bytes: Uint8Array) {
  const entries = readZip(Buffer.from(bytes));
  const manifest: BundleManifest = JSON.parse(entries.get("manifest.json")?.toString() ?? "");
  const files = Object.entries(manifest.files).map(([path, { type, url, headers }]) => {
    const content = entries.get(path);
    if (content === undefined) throw new Error(`The bundle lacks ${path}, which it lists.`);
    return {
      type,
      /** Its URL on any host: `~/assets/X.js`. */
      url,
      bytes: new Uint8Array(content),
      debugId: headers?.["debug-id"],
      /** The name of its map; only scripts. */
      sourcemap: headers?.sourcemap,
    };
  });
  return { manifest, files };
}

const ENTRY = 0x02014b50;
const DEFLATED = 8;

/** Reads a ZIP by its central directory (APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16). */
function readZip(zip: Buffer): Map<string, Buffer> {
  const end = zip.lastIndexOf("PK\x05\x06", undefined, "latin1");
  const files = new Map<string, Buffer>();
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    if (zip.readUInt32LE(at) !== ENTRY) throw new Error("A broken ZIP.");
    const nameLength = zip.readUInt16LE(at + 28);
    const local = zip.readUInt32LE(at + 42);
    const name = zip.toString("utf8", at + 46, at + 46 + nameLength);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const data = zip.subarray(start, start + zip.readUInt32LE(at + 20));
    files.set(name, zip.readUInt16LE(at + 10) === DEFLATED ? inflateRawSync(data) : data);
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return files;
}
