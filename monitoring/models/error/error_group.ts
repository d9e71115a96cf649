import { digest } from "../digest.ts";
import { at, integerAt, listOf, tidyText } from "../json.ts";
import type { ScriptMap } from "./script_map.ts";

/** How errors are grouped: by fingerprint if there is one, else by type, message shape and top frame. */
interface ErrorIdentity {
  readonly type: string;
  /** The message, or its template. */
  readonly message: string;
  /** See {@linkcode topFrame}. */
  readonly frame: GroupFrame | null;
  /** The event's `fingerprint`; `{{ default }}` in it is replaced by the other parts. */
  readonly fingerprint: readonly unknown[];
}

interface GroupFrame {
  readonly function: string | null;
  readonly file: string | null;
  /** Set only if file and function are from the sources, not from a built script. */
  readonly line?: number;
}

/** Returns the source map of the script at a URL; undefined if there is none. */
export type MapOf = (file: string) => Pick<ScriptMap, "positionOf" | "functionOf"> | undefined;

/** Characters of a function name or script URL. */
const MAX_FRAME_TEXT = 300;
/** Characters of a message that are read: a long value must not move the end of its shape. */
const MAX_MESSAGE = 1_000;
/** Characters of a shape; long messages differ only in what they quote. */
const MAX_SHAPE_LENGTH = 500;
/** SDKs send at most 50 frames (browser) or 250 (server), innermost last. */
const MAX_FRAMES = 250;
/** Sentry's limit. */
const MAX_FINGERPRINT_PARTS = 32;

/**
 * The innermost frame of application code, mapped to its source if there is a map; else the innermost frame of the
 * engine's or, by its source map, a package's code. Frames with `in_app: false` are ignored; a missing `in_app`
 * counts as true. Null: no frame is left.
 */
export function topFrame(exception: unknown, mapOf?: MapOf): GroupFrame | null {
  const frames = listOf(at(exception, "stacktrace", "frames")).slice(-MAX_FRAMES);
  let foreign: Candidate | undefined;
  for (const frame of frames.toReversed()) {
    if (at(frame, "in_app") === false) continue;
    const sent = asSent(frame);
    if (sent.function === null && sent.file === null) continue;
    const found = inSources(sent, frame, mapOf) ??
      { own: sent.file !== ENGINE, frame: () => sent };
    if (found.own) return found.frame();
    foreign ??= found;
  }
  return foreign?.frame() ?? null;
}

/** A frame that may identify the group. */
interface Candidate {
  readonly own: boolean;
  /** Called only for the chosen frame: mapping a function name takes 100 times as long as a position. */
  frame(): GroupFrame;
}

/** Browsers' file name for the engine's own code. */
const ENGINE = "<anonymous>";
/** SDKs' names for a function without a name. */
const NAMELESS = new Set(["", "?", "<anonymous>", "anonymous", "<unknown>"]);

function asSent(frame: unknown): GroupFrame {
  const name = tidyText(at(frame, "function"), MAX_FRAME_TEXT) ?? "";
  const file = tidyText(at(frame, "filename") ?? at(frame, "abs_path"), MAX_FRAME_TEXT) || null;
  return { function: NAMELESS.has(name) ? null : name, file };
}

function inSources(
  { function: name, file }: GroupFrame,
  frame: unknown,
  mapOf: MapOf | undefined,
): Candidate | undefined {
  const map = file === null ? undefined : mapOf?.(file);
  const [line, column] = [integerAt(frame, 1, "lineno"), integerAt(frame, 1, "colno")];
  const position = map?.positionOf({ function: name, line, column });
  if (map === undefined || position === undefined) return undefined;
  return {
    own: position.own,
    frame: () => ({
      function: tidyText(map.functionOf({ function: name, line, column }), MAX_FRAME_TEXT) ?? null,
      file: tidyText(position.file, MAX_FRAME_TEXT) ?? null,
      line: position.line,
    }),
  };
}

/** A frame for display: "function (file:line)", without origin; without line for a built script. */
export function frameLabel({ function: name, file, line }: GroupFrame): string | null {
  const position = file === null ? null : pathOf(file) + (line === undefined ? "" : `:${line}`);
  if (name === null) return position;
  return position === null ? name : `${name} (${position})`;
}

/**
 * The key of the group that an error belongs to: 14 hex digits. Stored: a change needs a schema version, and `former`
 * has to be the key before it, under which states of groups are stored.
 */
export function groupKeys(identity: ErrorIdentity): { group: string; former: string } {
  const shapes = shapesOf(identity.message);
  const group = keyWith(identity, shapes.join("\0"));
  const former = shapes.length === 1 ? group : keyWith(identity, messageShape(identity.message));
  return { group, former };
}

function keyWith({ type, frame, fingerprint }: ErrorIdentity, shape: string): string {
  const standard = [type, shape, frame === null ? "" : frameShape(frame)];
  const parts = fingerprintParts(fingerprint);
  if (parts.length === 0) return digest(standard);
  return digest(parts.flatMap((part) => DEFAULT.test(part) ? standard : [part]));
}

/** Sentry's placeholder for the parts of an event without a fingerprint. */
const DEFAULT = /^\{\{ *default *\}\}$/;

const fingerprintParts = (fingerprint: readonly unknown[]) =>
  fingerprint.slice(0, MAX_FINGERPRINT_PARTS)
    .map((part) => tidyText(String(asPrimitive(part)), MAX_SHAPE_LENGTH) ?? "");

/** A fingerprint, named so, which all errors of its group share; undefined: their default parts are in it, too. */
export function fingerprintText(fingerprint: readonly unknown[]): string | undefined {
  const parts = fingerprintParts(fingerprint);
  const text = parts.some((part) => DEFAULT.test(part)) ? "" : parts.join(" ");
  return text === "" ? undefined : `fingerprint ${text}`;
}

function asPrimitive(value: unknown): unknown {
  return typeof value === "object" || typeof value === "function" ? "" : value;
}

const MONTH = "(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|" +
  "Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)";
const WEEKDAY = "(?:Mon|Tue(?:s)?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?";

/** Query string and fragment of a URL or path, which is the first group. */
export const QUERY = /(\/[^\s?#"'<>()]*)[?#][^\s"'<>()]*/g;

/**
 * What varies between messages of one cause, and what replaces it. The order matters: values in quotes may be of any
 * other kind, and e-mail addresses and paths contain words.
 */
const VARIABLE_PARTS: readonly (readonly [RegExp, string | ((found: string) => string)])[] = [
  [QUERY, "$1"],
  [/"[^"\n]*"|`[^`\n]*`|[“„][^“”\n]*[“”]|«[^»\n]*»/g, '""'],
  // Single quotes: an apostrophe is between letters.
  [/(?<![\p{L}\p{N}])(?:'[^'\n]*'|‘[^’\n]*’)(?![\p{L}\p{N}])/gu, '""'],
  [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, "@"],
  // Paths: of Windows; from the root, `.`, `..` or `~`; relative ones with a file extension. The path of an http(s)
  // URL stays: it names what was asked for.
  [/(?<![\p{L}\p{N}_])[a-z]:[\\/][^\s"'<>|]*/giu, "/"],
  [/(?<![\p{L}\p{N}_.<\/~-])(?:file:\/\/|~|\.{1,2})?(?:\/[\p{L}\p{N}_.@%+~$-]+)+\/?/gu, "/"],
  [/(?<![\p{L}\p{N}_.\/@-])(?:[\w.@-]+\/)+[\w@.-]*[\w@-]\.[a-z]\w{0,4}\b/giu, "/"],
  [new RegExp(`\\b(?:${WEEKDAY},? +)?(?:\\d{1,2} +${MONTH}|${MONTH} +\\d{1,2})\\b`, "g"), "0"],
  [/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b|\b[a-f]{8,}\b/gi, "0"],
  // Random ids in base64url, which may contain dashes.
  [/[\w-]{20,}/g, (id) => [/\d/, /[a-z]/, /[A-Z]/].every((kind) => kind.test(id)) ? "0" : id],
  // Words with a digit: numbers, ids, hex, times.
  [/[\p{L}\p{N}_]+/gu, (word) => /\p{N}/u.test(word) ? "#" : word],
  [/(?<![\p{L}\p{N}_])[-+]?#(?:[-+.,:/]*#)*(?: [AP]M\b)?/gu, "#"],
  [/\s+/g, " "],
];

/** What replaces a value in the shape of a message, and of a route. */
export const [PLACEHOLDER, ROUTE_PLACEHOLDER] = [/""|[@/#]/, "#"];

/** A message without its variable parts: quoted values, paths, e-mail addresses, times, numbers and ids. */
export function messageShape(message: string): string {
  return shapeOf(message.slice(0, MAX_MESSAGE)).trim().slice(0, MAX_SHAPE_LENGTH);
}

const shapeOf = (text: string) =>
  VARIABLE_PARTS.reduce(
    // TypeScript has no overload of `replace` for both kinds of replacements.
    (shape, [part, by]) => shape.replace(part, by as string),
    text,
  );

const METHOD = "GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|QUERY|TRACE|CONNECT";

/**
 * A request in a message: method, origin, path and query, such as `POST /api/cart`, `GET http://a.test/?q=1`,
 * `[PUT] "/api/cart"` or `GET:/api/cart`.
 */
const REQUEST = new RegExp(
  `(\\b(?:${METHOD})\\]?(?: request)?(?: to| for)?:? ?(["'\`]?))(?:https?://[^\\s/?#"'\`<>()]+)?` +
    "(/(?:[^\\s?#\"'`<>()]*[^\\s?#\"'`<>().,:;])?)(?:[?#][^\\s\"'`<>()]*)?\\2",
);

/** The shape of a message; if it names a request, in three parts, of which the second is the route. */
export function shapesOf(message: string): readonly string[] {
  const text = message.slice(0, MAX_MESSAGE);
  const found = REQUEST.exec(text);
  if (found === null) return [messageShape(message)];
  const [request, method = "", , path = ""] = found;
  const before = shapeOf(text.slice(0, found.index)).trimStart() + method;
  const after = shapeOf(text.slice(found.index + request.length)).trimEnd();
  return [before, routeOf(path), after].map((shape) => shape.slice(0, MAX_SHAPE_LENGTH));
}

/** A path without numbers and ids. A version, such as `v1`, is part of the route. */
function routeOf(path: string): string {
  const isValue = (part: string) =>
    /[\p{N}@]|^[a-f]{8,}$/iu.test(part) && !/^v\d{1,2}$/i.test(part);
  return path.split("/").map((part) => isValue(part) ? ROUTE_PLACEHOLDER : part).join("/");
}

/**
 * A frame without what a new build changes. In sources: the line. In built scripts: the hash in the
 * file name, and names that a minifier made.
 */
function frameShape({ function: name, file, line }: GroupFrame): string {
  if (line !== undefined) return `${name ?? ""} ${file}`;
  if (file === null) return name ?? "";
  const path = pathOf(file);
  const stable = path.replace(/[^/]*$/, (last) => last.split(/([-.])/).filter(isNotHash).join(""));
  const isBuilt = stable !== path;
  return `${isBuilt && name !== null ? stableName(name) : name ?? ""} ${stable}`;
}

/**
 * The part of V8's function name (`async f`, `new F`, `Object.f [as member]`, https://v8.dev/docs/stack-trace-api)
 * that a minifier keeps: member names. It gives exports one or two letters, other functions up to three.
 */
function stableName(raw: string): string {
  const [, owner, name = "", alias] =
    /^(?:async |new )*(.*\.)?([^.\s]+)(?: \[as (.*)\])?$/.exec(raw) ?? [];
  const isMember = owner !== undefined || alias !== undefined;
  const last = alias ?? name;
  return last.length <= (isMember ? 2 : 3) ? "" : last;
}

/** A content hash is a long part of a file name that is hex, capitals and digits, or mixed. */
function isNotHash(part: string): boolean {
  if (part.length < 6) return true;
  const hex = /^[\da-f]+$/i.test(part) && /\d/.test(part);
  const capitals = part.length >= 8 && /^[\dA-Z]+$/.test(part);
  const mixed = part.length >= 8 &&
    [/^\w+$/, /\d/, /[A-Z]/, /[a-z]/].every((form) => form.test(part));
  return !(hex || capitals || mixed);
}

/** A URL without origin, query and fragment; a path as it is. */
function pathOf(file: string): string {
  return file.replace(/^[a-z][\w+.-]*:\/\/[^/]*(?=\/)/i, "").replace(/[?#].*$/s, "");
}
