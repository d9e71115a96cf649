/**
 * What the build must know to bundle browser telemetry. Not browser code.
 */
import { readFileSync } from "node:fs";
import type { BuildOptions, Plugin } from "esbuild";

/**
 * `@sentry/browser` exports recording and feedback again under its own name. esbuild then counts
 * them as part of every chunk that imports anything from there: the recorder alone is 39 KB. Seen
 * from the SDK's own packages they are empty; our own code imports the recorder by its own name.
 */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  "@sentry/replay": ["getReplay", "replayIntegration"],
  "@sentry/replay-canvas": ["replayCanvasIntegration"],
  "@sentry/feedback": [
    "buildFeedbackIntegration",
    "feedbackModalIntegration",
    "feedbackScreenshotIntegration",
    "getFeedback",
    "sendFeedback",
  ],
};

const leaveOut: Plugin = {
  name: "leave-out",
  setup(build) {
    build.onResolve(
      { filter: /^@sentry\/(replay|replay-canvas|feedback)$/ },
      ({ path, importer }) =>
        /[\\/]@sentry[\\/](browser|react)[\\/]build[\\/]/.test(importer)
          ? { path, namespace: "left-out", sideEffects: false }
          : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: "left-out" }, ({ path }) => ({
      contents: (LEFT_OUT[path] ?? []).map((name) =>
        `export const ${name} = () => { throw new Error("${name} is not in this build") };`
      ).join("\n"),
    }));
  },
};

/**
 * The SDK asks `DEBUG_BUILD &&` before each of its messages, and where that constant is declared
 * after its use, or in another file, esbuild folds it too late or not at all. Asked of the define
 * below instead, messages and what makes them are gone before the file is looked at (8 KB).
 */
const foldDebugBuild: Plugin = {
  name: "fold-debug-build",
  setup(build) {
    build.onLoad({ filter: /[\\/]@sentry[\\/].*\.js$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      if (!source.includes("DEBUG_BUILD") || path.endsWith("debug-build.js")) return undefined;
      return {
        contents: source
          .replace(/^(?:import \{ DEBUG_BUILD \} from|const DEBUG_BUILD =).*$/gm, "")
          .replace(/\bDEBUG_BUILD\b/g, "__SENTRY_DEBUG__"),
      };
    });
  },
};

/** Options to merge into the browser pass of esbuild. */
export const esbuildOptions = {
  define: {
    // The SDK's own debug output, a fifth of its size.
    __SENTRY_DEBUG__: "false",
    // The worker is a file of this origin (below), not a `blob:` that the policy forbids.
    __SENTRY_EXCLUDE_REPLAY_WORKER__: "true",
    // The page has neither shadow trees nor frames that should be recorded. The one frame that may
    // come plays recordings, and a recording of a recording is what nobody wants.
    __RRWEB_EXCLUDE_SHADOW_DOM__: "true",
    __RRWEB_EXCLUDE_IFRAME__: "true",
  },
  plugins: [leaveOut, foldDebugBuild],
} satisfies BuildOptions;

/**
 * Files that are built from packages and that browser code finds through the page's import map.
 *
 * @returns JavaScript by specifier
 * @throws {Error} if the recorder's package holds its worker in an unknown way
 */
export function extraAssets(): { readonly "replay-worker": string } {
  return { "replay-worker": replayWorker() };
}

/** The recorder's compression worker: the SDK carries its source as one template literal. */
function replayWorker(): string {
  const recorder = readFileSync(new URL(import.meta.resolve("@sentry/replay")), "utf8");
  const literals = [...recorder.matchAll(/^const t = `([^`]*)`;$/gm)];
  const source = literals[0]?.[1];
  if (literals.length !== 1 || !source?.includes('addEventListener("message"')) {
    throw new Error(
      "Cannot build the recording worker: @sentry/replay holds it in an unknown way.",
    );
  }
  if (source.includes("\\") || source.includes("${")) {
    throw new Error("Cannot build the recording worker: its source has escapes.");
  }
  return source;
}
