import { wholeAt } from "../fields.ts";
import { at, listOf, tidyText } from "../json.ts";
import type { ScriptMap } from "../error/script_map.ts";

/** What makes errors the same one, as far as the event says. */
export interface ErrorIdentity {
  readonly type: string;
  /** The message, or its template. */
  readonly message: string;
  /** The frame that names the group. */
  readonly frame: Frame | null;
  /** The event's own `fingerprint`, which wins where it is given. */
  readonly fingerprint: readonly unknown[];
}

/** A frame of a stack trace, as far as it is told. */
export interface Frame {
  readonly function: string | null;
  readonly file: string | null;
  /** Set if file and function are those of the sources, and not of a built script. */
  readonly line?: number;
}

/** Gives the source map of the script at an address; undefined: none is known. */
export type MapOf = (file: string) => Pick<ScriptMap, "placeOf" | "functionOf"> | undefined;

/** Longer than any address of a script that is not made up. */
const MAX_FRAME_TEXT = 300;
/** Beyond it messages differ by what they quote, not by what they say. */
const MAX_SHAPE_LENGTH = 500;
/** Stacks end with the innermost call; SDKs send at most 50 frames (browser) or 250 (server). */
const MAX_FRAMES = 250;
/** Sentry's own bound on a fingerprint's parts. */
const MAX_FINGERPRINT_PARTS = 32;

/**
 * The innermost frame of the application's own code: where a map leads, in the sources. Where only the engine's and
 * packages' code ran, the innermost of that; null: no frame is known. `in_app` counts as true where it is not said.
 *
 * @param mapOf gives the map of the script at an address, as far as there is one
 */
export function topFrame(exception: unknown, mapOf?: MapOf): Frame | null {
  const frames = listOf(at(exception, "stacktrace", "frames")).slice(-MAX_FRAMES);
  let foreign: FoundFrame | undefined;
  for (const frame of frames.toReversed()) {
    if (at(frame, "in_app") === false) continue;
    const sent = asSent(frame);
    if (sent.function === null && sent.file === null) continue;
    const found = inSources(sent, frame, mapOf) ??
      { own: sent.file !== ENGINE, tell: () => sent };
    if (found.own) return found.tell();
    foreign ??= found;
  }
  return foreign?.tell() ?? null;
}

/** A frame that may name the group. */
interface FoundFrame {
  readonly own: boolean;
  /** Its name is looked for only in the frame that does: it takes a hundred times what its place does. */
  tell(): Frame;
}

/** What browsers write for the file of what the engine itself runs. */
const ENGINE = "<anonymous>";
/** What SDKs write for a function without a name. */
const NAMELESS = new Set(["", "?", "<anonymous>", "anonymous", "<unknown>"]);

function asSent(frame: unknown): Frame {
  const name = tidyText(at(frame, "function"), MAX_FRAME_TEXT) ?? "";
  const file = tidyText(at(frame, "filename") ?? at(frame, "abs_path"), MAX_FRAME_TEXT) || null;
  return { function: NAMELESS.has(name) ? null : name, file };
}

function inSources(
  { function: name, file }: Frame,
  frame: unknown,
  mapOf: MapOf | undefined,
): FoundFrame | undefined {
  const map = file === null ? undefined : mapOf?.(file);
  const [line, column] = [wholeAt(frame, 1, "lineno"), wholeAt(frame, 1, "colno")];
  const place = map?.placeOf({ function: name, line, column });
  if (map === undefined || place === undefined) return undefined;
  return {
    own: place.own,
    tell: () => ({
      function: tidyText(map.functionOf({ function: name, line, column }), MAX_FRAME_TEXT) ?? null,
      file: tidyText(place.file, MAX_FRAME_TEXT) ?? null,
      line: place.line,
    }),
  };
}

/** A frame as a person reads it: "function (file:line)", without the file's origin; of a built script without line. */
export function frameLabel({ function: name, file, line }: Frame): string | null {
  const place = file === null ? null : pathOf(file) + (line === undefined ? "" : `:${line}`);
  if (name === null) return place;
  return place === null ? name : `${name} (${place})`;
}

/** The key of the group that an error belongs to: 14 hex digits. */
export function groupKey(identity: ErrorIdentity): string {
  const parts = identity.fingerprint.slice(0, MAX_FINGERPRINT_PARTS)
    .map((part) => tidyText(String(asPrimitive(part)), MAX_SHAPE_LENGTH) ?? "");
  if (parts.length === 0) return digest(ownParts(identity));
  return digest(
    parts.flatMap((part) => /^\{\{ *default *\}\}$/.test(part) ? ownParts(identity) : [part]),
  );
}

function ownParts({ type, message, frame }: ErrorIdentity): string[] {
  return [type, messageShape(message), frame === null ? "" : frameShape(frame)];
}

function asPrimitive(value: unknown): unknown {
  return typeof value === "object" || typeof value === "function" ? "" : value;
}

/**
 * A message without what differs each time: queries of addresses, quoted values, UUIDs, and every word that holds a
 * digit (numbers, ids, hex, dates) are made alike.
 */
export function messageShape(message: string): string {
  return message.slice(0, MAX_SHAPE_LENGTH)
    .replace(/(\/[^\s?#"'<>()]*)[?#][^\s"'<>()]*/g, "$1")
    .replace(/"[^"\n]*"|`[^`\n]*`|“[^”\n]*”|«[^»\n]*»/g, '""')
    // An apostrophe stands between letters, a quote does not.
    .replace(/(?<![\p{L}\p{N}])'[^'\n]*'(?![\p{L}\p{N}])/gu, '""')
    .replace(/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gi, "#")
    .replace(/[\p{L}\p{N}_]+/gu, (word) => /\p{N}/u.test(word) ? "#" : word)
    .replace(/(?<![\p{L}\p{N}_])[-+]?#(?:[-+.,:/]*#)*/gu, "#")
    .replace(/\s+/g, " ")
    .trim();
}

/**
 * The frame without what a new build changes. In its sources: file and function, as lines move. Of a built script: the
 * hash in its file's name goes, and names that a minifier gave.
 */
function frameShape({ function: name, file, line }: Frame): string {
  if (line !== undefined) return `${name ?? ""} ${file}`;
  if (file === null) return name ?? "";
  const path = pathOf(file);
  const stable = path.replace(/[^/]*$/, (last) => last.split(/([-.])/).filter(noHash).join(""));
  const isBuilt = stable !== path;
  return `${isBuilt && name !== null ? stableName(name) : name ?? ""} ${stable}`;
}

/**
 * What a minifier leaves of a function's name as V8 tells it: `async f`, `new F`, `Object.f [as member]`
 * (https://v8.dev/docs/stack-trace-api). Members keep their names; what they belong to does not. Exports are given one
 * or two letters, other functions, in large scripts, up to three.
 */
function stableName(told: string): string {
  const [, owner, name = "", alias] =
    /^(?:async |new )*(.*\.)?([^.\s]+)(?: \[as (.*)\])?$/.exec(told) ?? [];
  const isMember = owner !== undefined || alias !== undefined;
  const shown = alias ?? name;
  return shown.length <= (isMember ? 2 : 3) ? "" : shown;
}

/** A part of a file's name is a content hash if it is long enough and no word: hex, or capitals and digits, or mixed. */
function noHash(part: string): boolean {
  if (part.length < 6) return true;
  const hex = /^[\da-f]+$/i.test(part) && /\d/.test(part);
  const capitals = part.length >= 8 && /^[\dA-Z]+$/.test(part);
  const mixed = part.length >= 8 &&
    [/^\w+$/, /\d/, /[A-Z]/, /[a-z]/].every((form) => form.test(part));
  return !(hex || capitals || mixed);
}

/** An address without its origin, query and fragment; a path as it is. */
function pathOf(file: string): string {
  return file.replace(/^[a-z][\w+.-]*:\/\/[^/]*(?=\/)/i, "").replace(/[?#].*$/s, "");
}

/** Two lanes of multiply and rotate over the characters: no protection against collisions that are sought. */
function digest(parts: readonly string[]): string {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (const char of parts.join("\0")) {
    const code = char.codePointAt(0) ?? 0;
    a = Math.imul(a ^ code, 0x9e3779b1);
    b = Math.imul(b ^ code, 0x5f356495);
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return hex(b).slice(2) + hex(a);
}

const hex = (word: number) => (word >>> 0).toString(16).padStart(8, "0");
