/** How the build bundles browser telemetry. Not browser code. */
import { readFileSync } from "node:fs";
import type { BuildOptions, Plugin } from "esbuild";

/**
 * `@sentry/browser` re-exports recording and feedback, so esbuild adds them to every chunk that imports
 * anything from there: the recorder alone is 39 KB. Imported from the SDK's own packages they are replaced
 * by stubs with these exports; our code imports `@sentry/replay` itself.
 */
const STUBBED_EXPORTS: Readonly<Record<string, readonly string[]>> = {
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

const stubReexports: Plugin = {
  name: "stub-reexports",
  setup(build) {
    build.onResolve(
      { filter: /^@sentry\/(replay|replay-canvas|feedback)$/ },
      ({ path, importer }) =>
        /[\\/]@sentry[\\/](browser|react)[\\/]build[\\/]/.test(importer)
          ? { path, namespace: "stub", sideEffects: false }
          : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: "stub" }, ({ path }) => ({
      contents: (STUBBED_EXPORTS[path] ?? []).map((name) =>
        `export const ${name} = () => { throw new Error("${name} is not in this build") };`
      ).join("\n"),
    }));
  },
};

/**
 * Removes the SDK's debug messages (8 KB). They depend on a constant `DEBUG_BUILD`, which esbuild does
 * not fold if it is declared after its use or in another file; so it is replaced by the define below.
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
    // Removes the SDK's debug output, a fifth of its size.
    __SENTRY_DEBUG__: "false",
    // Removes checks whether this is a build of Sentry's own, and whether it traces.
    __SENTRY_BROWSER_BUNDLE__: "false",
    __SENTRY_TRACING__: "true",
    __SENTRY_RELEASE__: "undefined",
    // The worker is a file of this origin (below): the page's CSP forbids `blob:`.
    __SENTRY_EXCLUDE_REPLAY_WORKER__: "true",
    // The page has no shadow trees, and its only frame plays recordings, which must not be recorded.
    __RRWEB_EXCLUDE_SHADOW_DOM__: "true",
    __RRWEB_EXCLUDE_IFRAME__: "true",
  },
  plugins: [stubReexports, foldDebugBuild],
} satisfies BuildOptions;

/**
 * Files that are extracted from packages, and imported through the page's import map.
 *
 * @returns JavaScript by specifier
 * @throws {Error} if the worker cannot be found in the recorder's package
 */
export function extraAssets(): { readonly "replay-worker": string } {
  return { "replay-worker": replayWorker() };
}

/** The recorder's compression worker: its source is a template literal in the package. */
function replayWorker(): string {
  const recorder = readFileSync(new URL(import.meta.resolve("@sentry/replay")), "utf8");
  const literals = [...recorder.matchAll(/^const t = `([^`]*)`;$/gm)];
  const source = literals[0]?.[1];
  if (literals.length !== 1 || !source?.includes('addEventListener("message"')) {
    throw new Error(
      "Cannot build the recording worker: its source was not found in @sentry/replay.",
    );
  }
  if (source.includes("\\") || source.includes("${")) {
    throw new Error("Cannot build the recording worker: its source contains escapes.");
  }
  return source;
}
