import { createHash } from "node:crypto";

/** What the build puts into the head of every page. */
export interface HeadParts {
  readonly style?: string;
  readonly importMap: Readonly<Record<string, string>>;
  /** Assets needed before islands answer, most needed first. */
  readonly preload: readonly string[];
  /** Module scripts that run. */
  readonly scripts: readonly string[];
}

export interface FinishedDocument {
  readonly html: string;
  readonly scriptHashes: readonly string[];
  readonly styleHashes: readonly string[];
}

/** The page has no place for what the build must put into it. */
export class DocumentError extends Error {
  override name = "DocumentError";
}

/**
 * Completes a rendered document: style, import map (which must stand before the first module),
 * preloads, scripts, at the end of the head; and the CSP hashes of all that stands inline.
 */
export function finishDocument(
  html: string,
  inlineScripts: readonly string[],
  parts: HeadParts,
): FinishedDocument {
  const at = html.indexOf("</head>");
  if (at === -1) {
    throw new DocumentError("The document has no <head>: render one in routes/_app.tsx.");
  }
  if (/<\/style/i.test(parts.style ?? "")) {
    throw new DocumentError("The style sheet cannot hold `</style`: it would end there.");
  }
  const importMap = JSON.stringify({ imports: parts.importMap });
  const head = [
    parts.style === undefined ? "" : `<style>${parts.style}</style>`,
    `<script type="importmap">${importMap}</script>`,
    ...parts.preload.map((path) => `<link rel="modulepreload" href="${path}">`),
    ...parts.scripts.map((path) => `<script type="module" src="${path}"></script>`),
  ].join("");
  return {
    html: html.slice(0, at) + head + html.slice(at),
    scriptHashes: [...inlineScripts, importMap].map(cspHash),
    styleHashes: parts.style === undefined ? [] : [cspHash(parts.style)],
  };
}

/** A script in a page's own content would run when the page is loaded, not when it is navigated to. */
const RUNNING_SCRIPT = /<script(?! type="application\/json")/;
/** Whoever fetches page data runs scripts; without them these would stand there as content. */
const WITHOUT_SCRIPTS = /<noscript>.*?<\/noscript>/gs;

/**
 * The page data of a rendered document: a small one of its own with the title and the page's
 * content, for a browser that has everything else.
 */
export function pageDataDocument(html: string, content: string): string {
  if (RUNNING_SCRIPT.test(content)) {
    throw new DocumentError(
      "A page cannot hold a script that runs: put it into routes/_app.tsx, around every page.",
    );
  }
  const root = /<html[^>]*>/.exec(html)?.[0] ?? "<html>";
  const title = /<title>[^<]*<\/title>/.exec(html)?.[0] ?? "";
  return `<!DOCTYPE html>${root}<head><meta charset="utf-8"/>${title}</head><body>${
    content.replaceAll(WITHOUT_SCRIPTS, "")
  }</body></html>`;
}

function cspHash(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
