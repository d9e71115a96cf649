/** Minified stack traces of the page can be resolved to the sources by debug ids alone. */
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { originalPositionFor, TraceMap, traceSegment } from "@jridgewell/trace-mapping";
import { type Arrivals, expect, test } from "../harness/browser/fixtures.ts";
import { ERRORS, make, openPage } from "../harness/browser/signals.ts";

/** A frame of a stack as an event has it: of the script that the browser ran. */
interface Frame {
  readonly filename?: string;
  /** Minified; `?` if it has none. */
  readonly function?: string;
  /** Both from 1. */
  readonly lineno?: number;
  readonly colno?: number;
}

/** The part of an event with the debug ids of scripts. */
interface DebugMeta {
  readonly images?: readonly {
    readonly type: string;
    readonly code_file: string;
    readonly debug_id: string;
  }[];
}

const ROOT = new URL("../../", import.meta.url);
const MAPS = new URL(".build/maps/", ROOT);
/** Addresses of sources in a map are relative to it. */
const BUILT_AT = ".build/assets";

/**
 * Finds a frame's place as Sentry does: the map by the script's debug id alone, then the position in it.
 *
 * @throws the event has no debug id for the frame's script, no map has it, or the map has no such place
 */
function resolveFrame(meta: DebugMeta | undefined, frame: Frame) {
  const image = meta?.images?.find(({ code_file }) => code_file === frame.filename);
  if (image?.type !== "sourcemap") throw new Error(`No debug id for ${frame.filename}.`);
  const script = scriptWithId(image.debug_id);
  const map = new TraceMap(readFileSync(new URL(`${script}.map`, MAPS), "utf8"));
  const { lineno = 0, colno = 0 } = frame;
  // A stack counts columns from 1, a map from 0.
  const at = originalPositionFor(map, { line: lineno, column: colno - 1 });
  if (at.source === null) throw new Error(`The map of ${script} has no ${lineno}:${colno}.`);
  const source = posix.join(BUILT_AT, at.source);
  const lines = readSource(map, at.source, source).split("\n");
  return {
    source,
    /** The source's text from the place to the end of its line. */
    text: lines[at.line - 1]?.slice(at.column) ?? "",
    /** Whether the map has this position, not only one before it. */
    isExact: traceSegment(map, lineno - 1, colno - 1)?.[0] === colno - 1,
    name: nameOf(map, script, frame),
  };
}

/** A source's text. Packages may come without their sources: those are only in the map. */
function readSource(map: TraceMap, name: string, path: string): string {
  const inMap = map.sourcesContent?.[map.sources.indexOf(name)];
  const text = path.includes("node_modules/") ? inMap : readFileSync(new URL(path, ROOT), "utf8");
  if (typeof text !== "string" || text !== inMap) throw new Error(`The map has another ${path}.`);
  return text;
}

/** The file name of the script whose source map has this debug id. */
function scriptWithId(debugId: string): string {
  for (const file of readdirSync(MAPS)) {
    const { debugId: own } = JSON.parse(readFileSync(new URL(file, MAPS), "utf8"));
    if (own === debugId) return file.replace(/\.map$/, "");
  }
  throw new Error(`No source map has the debug id ${debugId}.`);
}

/** The source's name of a frame's function, as the map has it at the function's declaration. */
function nameOf(map: TraceMap, script: string, frame: Frame): string | undefined {
  const { lineno = 0, colno = 0, function: minified = "?" } = frame;
  // V8 puts the object before a method's name, and `async` before an awaited function's.
  const name = minified.replace(/^async /, "").replace(/^.*\./, "");
  if (!/^[\w$]+$/.test(name)) return undefined;
  const lines = readFileSync(new URL(`${BUILT_AT}/${script}`, ROOT), "utf8").split("\n");
  const before = lines[lineno - 1]?.slice(0, colno) ?? "";
  const escaped = name.replaceAll("$", "\\$");
  const declared = [
    ...before.matchAll(
      new RegExp(
        `(?<=function\\*? )${escaped}(?=\\()|(?<![\\w$.])${escaped}(?==(?:async|\\(|function|[\\w$]+=>))`,
        "g",
      ),
    ),
  ].at(-1);
  if (declared === undefined) return undefined;
  return originalPositionFor(map, { line: lineno, column: declared.index }).name ?? undefined;
}

/** The parts of an event that contain stack traces. */
interface Stacks {
  readonly exception: {
    readonly values: readonly { readonly stacktrace?: { readonly frames: readonly Frame[] } }[];
  };
  readonly debug_meta?: DebugMeta;
}

/** The in-app frames of the error with this text, innermost first. */
async function inAppFrames(arrivals: Arrivals, text: string) {
  const event = await arrivals.waitForError(text);
  const { exception, debug_meta } = event as unknown as Stacks;
  const frames = exception.values.at(-1)?.stacktrace?.frames ?? [];
  const inApp = frames.filter(({ filename }) => filename?.includes("/assets/")).toReversed();
  expect(inApp.length, `frames of ${text}`).toBeGreaterThan(0);
  return inApp.map((frame) => ({ frame, place: resolveFrame(debug_meta, frame) }));
}

test("an error of the page → file, line, column and function in the sources", async ({ page, arrivals, watch }) => {
  watch.allow(...Object.values(ERRORS));
  await openPage(page);
  const signals = "islands/settings/Signals.tsx";
  const thrown = [
    { signal: "handled", in: "islands/pipeline/test_signals.ts", name: "handleError" },
    // Thrown by an anonymous function.
    { signal: "uncaught", in: signals, name: undefined },
    { signal: "rejection", in: signals, name: "makeSignal" },
    { signal: "component", in: signals, name: "Signals" },
  ] as const;
  for (const { signal, ...expected } of thrown) {
    await make(page, signal);
    const [innermost] = await inAppFrames(arrivals, ERRORS[signal]);
    expect(innermost?.frame.function, "the browser knows only minified names")
      .not.toBe(expected.name);
    expect(innermost?.place.source, signal).toBe(expected.in);
    expect(innermost?.place.text, signal).toMatch(new RegExp(`^new Error\\("${ERRORS[signal]}`));
    expect(innermost?.place.isExact, signal).toBe(true);
    expect(innermost?.place.name, signal).toBe(expected.name);
  }
  // The component's error was thrown through React, whose sources are only in the map.
  const frames = await inAppFrames(arrivals, ERRORS.component);
  const react = frames.filter(({ place }) => place.source.includes("/node_modules/react-dom/"));
  expect(react.map(({ place }) => place.name)).toContain("renderWithHooks");
  // All but the innermost frame point at calls.
  for (const { place } of frames.slice(1)) expect(place.text).toMatch(/^[\w$.]+ ?\(|^new /);
});
