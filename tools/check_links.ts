/** What the documentation may link to: the project's files by relative path. */
export interface LinkTargets {
  /** Text of a file; undefined if there is none (or if it is a folder). */
  read(path: string): string | undefined;
  /** Whether a file or folder is there. */
  exists(path: string): boolean;
}

interface Link {
  readonly line: number;
  readonly target: string;
  /** The text in quotes after the target, where there is one. */
  readonly title?: string;
}

/** `[text](target "title")`, `![text](target)` and `[name]: target "title"`. */
const LINKS =
  /\]\(\s*<?([^\s)>]+)>?(?:\s+"([^"]*)")?\s*\)|^\s*\[[^\]]+\]:\s+(\S+)(?:\s+"([^"]*)")?/g;

/** A test file is what proves a promise. */
const PROOF = /_(test|spec)\.m?tsx?(#|$)/;

/**
 * What is wrong with the links of one document: a relative link must lead to a file that is there, its
 * anchor to a heading (or `#L12` to a line) of that file, and its title, if it has one, must be a text in
 * it (the name of a test, say). Under a heading with the word "promise" every list entry and table row
 * must link a test that proves it.
 *
 * @param path of the document, relative to the project
 * @returns one line for each offence
 */
export function judgeLinks(path: string, text: string, targets: LinkTargets): string[] {
  const lines = withoutCode(text);
  const links = linksOf(lines);
  return [
    ...links.flatMap((link) => judgeLink(path, text, link, targets)),
    ...promises(lines).filter(({ line }) =>
      !links.some((link) => link.line === line && PROOF.test(link.target))
    ).map(({ line, text }) =>
      `${path}:${line} promises without proof: "${text}". Link the test that proves it.`
    ),
  ];
}

function judgeLink(path: string, text: string, link: Link, targets: LinkTargets): string[] {
  if (/^[a-z][a-z\d+.-]*:/i.test(link.target)) return [];
  const says = (what: string) => [`${path}:${link.line} links to ${link.target}, but ${what}.`];
  const [file = "", anchor] = link.target.split("#", 2);
  const resolved = file === ""
    ? path
    : decodeURI(new URL(file, `file:///${path}`).pathname.slice(1));
  if (file !== "" && !targets.exists(resolved)) return says("there is no such file");
  const target = file === "" ? text : targets.read(resolved);
  if (anchor !== undefined && !hasAnchor(resolved, target ?? "", anchor)) {
    return says("that file has no such heading or line");
  }
  if (link.title !== undefined && !target?.includes(link.title)) {
    return says(`that file does not contain "${link.title}"`);
  }
  return [];
}

function hasAnchor(path: string, text: string, anchor: string): boolean {
  if (path.endsWith(".md")) return headingAnchors(text).has(anchor.toLowerCase());
  const line = /^L(\d+)$/.exec(anchor);
  return line !== null && Number(line[1]) <= text.split("\n").length;
}

/** Anchors that GitHub makes of a document's headings; repeated ones are numbered. */
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

/** The lines outside fenced code, with their 1-based numbers; inline code is blanked in its length. */
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

/** List entries and table rows under a heading that speaks of promises, each as one line. */
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
