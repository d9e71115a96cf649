const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  ico: "image/x-icon",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  wasm: "application/wasm",
  webmanifest: "application/manifest+json",
  webp: "image/webp",
  woff2: "font/woff2",
};
const COMPRESSED = new Set(["png", "webp", "woff2"]);

/** The media type of a file by its name's extension; bytes of no known type are just that. */
export function mediaType(name: string): string {
  return TYPES[extension(name)] ?? "application/octet-stream";
}

/** Whether compressing it once more could make it smaller. */
export function isCompressible(name: string): boolean {
  const end = extension(name);
  return end in TYPES && !COMPRESSED.has(end);
}

function extension(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1).toLowerCase();
}
