/**
 * The document of the recording player, in a frame of the console.
 *
 * Its origin is opaque (`sandbox` without `allow-same-origin`, here and at the frame), so that nothing in it can read
 * the console, its storage or the inbox, even if a recording got past the sanitizer. It runs one script, and connects
 * nowhere: what a recording shows is inline or a `data:` URL.
 *
 * @param script address of the player's script, with its origin: an opaque origin has no `'self'`
 */
export function playerDocument(script: string): Response {
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Recording</title>` +
    `<script src="${new URL(script).pathname}"></script></html>`;
  return new Response(body, {
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-cache",
      "Content-Security-Policy": [
        "default-src 'none'",
        `script-src ${script}`,
        "style-src 'unsafe-inline'",
        "img-src data:",
        "font-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
        "sandbox allow-scripts",
      ].join("; "),
      "Referrer-Policy": "no-referrer",
      "X-DNS-Prefetch-Control": "off",
    },
  });
}
