/** Access to the files that documentation links to, by path relative to the project. */
export interface LinkTargets {
  /** Text of a file; undefined if there is no such file. */
  read(path: string): string | undefined;
  /** Whether a file or folder exists. */
  exists(path: string): boolean;
}

interface Link {
  readonly line: number;
  readonly target: string;
  /** The optional text in quotes after the target. */
  readonly title?: string;
}

/** `[text](target "title")`, `![text](target)` and `[name]: target "title"`. */
const LINKS =
  /\]\(\s*<?([^\s)>]+)>?(?:\s+"([^"]*)")?\s*\)|^\s*\[[^\]]+\]:\s+(\S+)(?:\s+"([^"]*)")?/g;

/** Promises are proven by test files. */
const PROOF = /_(test|spec)\.m?tsx?(#|$)/;

/**
 * Checks the links of one document. A relative link must lead to an existing file, its anchor to a
 * heading (or `#L12` to a line) of it, and its title must be text in it, such as the name of a test. Under
 * a heading with the word "promise" each list entry and table row must link a test.
 *
 * @param path of the document, relative to the project
 * @returns one line for each problem
 */
export function checkLinks(path: string, text: string, targets: LinkTargets): string[] {
  const lines = withoutCode(text);
  const links = linksOf(lines);
  return [
    ...links.flatMap((link) => checkLink(path, text, link, targets)),
    ...promises(lines).filter(({ line }) =>
      !links.some((link) => link.line === line && PROOF.test(link.target))
    ).map(({ line, text }) =>
      `${path}:${line} is a promise without a test: "${text}". Link the test that proves it.`
    ),
  ];
}

function checkLink(path: string, text: string, link: Link, targets: LinkTargets): string[] {
  if (/^[a-z][a-z\d+.-]*:/i.test(link.target)) return [];
  const problem = (what: string) => [`${path}:${link.line} links to ${link.target}, but ${what}.`];
  const [file = "", anchor] = link.target.split("#", 2);
  const resolved = file === ""
    ? path
    : decodeURI(new URL(file, `file:///${path}`).pathname.slice(1));
  if (file !== "" && !targets.exists(resolved)) return problem("there is no such file");
  const target = file === "" ? text : targets.read(resolved);
  if (anchor !== undefined && !hasAnchor(resolved, target ?? "", anchor)) {
    return problem("that file has no such heading or line");
  }
  if (link.title !== undefined && !target?.includes(link.title)) {
    return problem(`that file does not contain "${link.title}"`);
  }
  return [];
}

function hasAnchor(path: string, text: string, anchor: string): boolean {
  if (path.endsWith(".md")) return headingAnchors(text).has(anchor.toLowerCase());
  const line = /^L(\d+)$/.exec(anchor);
  return line !== null && Number(line[1]) <= text.split("\n").length;
}

/** The anchors of a document's headings, as GitHub makes them; repeated ones are numbered. */
export function headingAnchors(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const { text: line } of withoutCode(text)) {
    const heading = /^#{1,6}\s+(.+?)\s*#*$/.exec(line)?.[1];
    if (heading === undefined) continue;
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
    const slug = plain.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").replace(/\s/g, "-");
    let anchor = slug;
    for (let n = 1; anchors.has(anchor); n++) anchor = `${slug}-${n}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** The lines outside fenced code, with their 1-based numbers. */
function withoutCode(text: string): { line: number; text: string }[] {
  let fence: string | undefined;
  return text.split("\n").flatMap((content, index) => {
    const mark = /^\s*(`{3,}|~{3,})/.exec(content)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
      return [];
    }
    fence = mark;
    return mark ? [] : [{ line: index + 1, text: content }];
  });
}

function linksOf(lines: readonly { line: number; text: string }[]): Link[] {
  return lines.flatMap(({ line, text }) =>
    [...text.replace(/`[^`]*`/g, (code) => " ".repeat(code.length)).matchAll(LINKS)].map((
      match,
    ) => ({
      line,
      target: match[1] ?? match[3] ?? "",
      title: match[2] ?? match[4],
    }))
  );
}

/** List entries and table rows under a heading with the word "promise". */
function promises(lines: readonly { line: number; text: string }[]) {
  let level = 0;
  return lines.filter(({ text }, index) => {
    const heading = /^(#+)\s+(.*)/.exec(text);
    const depth = heading?.[1]?.length ?? 0;
    if (heading && (level === 0 || depth <= level)) {
      level = /promise/i.test(heading[2] ?? "") ? depth : 0;
    }
    if (level === 0) return false;
    const isHead = /^\|[\s|:-]+\|$/.test(lines[index + 1]?.text.trim() ?? "");
    const isRule = /^\|[\s|:-]+\|$/.test(text.trim());
    return /^\s*([-*]|\d+\.)\s+\S/.test(text) || (/^\s*\|/.test(text) && !isHead && !isRule);
  });
}
