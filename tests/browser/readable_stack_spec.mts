/** Minified stack traces of the page can be resolved to the sources by debug ids alone. */
import { readManifest } from "../../server/manifest.ts";
import { type Arrivals, expect, test } from "./fixtures.ts";
import { ERRORS, make, openPage } from "./signals.ts";
import {
  type DebugMeta,
  type Frame,
  resolveFrame,
  scriptWithId,
  type SourcePlace,
} from "./source_maps.ts";
import { errorOf } from "./telemetry.ts";

/** The parts of an event that contain stack traces. */
interface Stacks {
  readonly exception: {
    readonly values: readonly { readonly stacktrace?: { readonly frames: readonly Frame[] } }[];
  };
  readonly debug_meta?: DebugMeta;
}

interface Resolved {
  readonly frame: Frame;
  readonly place: SourcePlace;
}

/** The in-app frames of the error with this text, innermost first. */
async function inAppFrames(arrivals: Arrivals, text: string): Promise<readonly Resolved[]> {
  const event = await arrivals.waitFor(text, (items) => errorOf(items, text));
  const { exception, debug_meta } = event as unknown as Stacks;
  const frames = exception.values.at(-1)?.stacktrace?.frames ?? [];
  const inApp = frames.filter(({ filename }) => filename?.includes("/assets/")).toReversed();
  expect(inApp.length, `frames of ${text}`).toBeGreaterThan(0);
  return inApp.map((frame) => ({ frame, place: resolveFrame(debug_meta, frame) }));
}

const manifest = await readManifest(new URL("../../.build/", import.meta.url));

function assetOf(entryPoint: string): string {
  const [name] = Object.entries(manifest.assets)
    .find(([, asset]) => asset.entryPoints.includes(entryPoint)) ?? [];
  if (name === undefined) throw new Error(`The build has no asset of ${entryPoint}.`);
  return name;
}

test("an error of the page → file, line, column and function in the sources", async ({ page, arrivals, watch }) => {
  watch.allow(...Object.values(ERRORS));
  await openPage(page);
  const thrown = {
    "Handled error": {
      text: ERRORS.handled,
      in: "islands/overview/signal_actions.ts",
      name: "handleError",
    },
    // Thrown by an anonymous function.
    "Uncaught error": {
      text: ERRORS.uncaught,
      in: "islands/overview/signal_actions.ts",
      name: undefined,
    },
    "Unhandled rejection": {
      text: ERRORS.rejection,
      in: "islands/overview/signal_actions.ts",
      name: "rejectUnhandled",
    },
    "Component error": {
      text: ERRORS.component,
      in: "islands/overview/Signals.tsx",
      name: "ExampleComponent",
    },
  };
  for (const [control, expected] of Object.entries(thrown)) {
    await make(page, control);
    const [innermost] = await inAppFrames(arrivals, expected.text);
    expect(innermost?.frame.function, "the browser knows only minified names")
      .not.toBe(expected.name);
    expect(innermost?.place.source, control).toBe(expected.in);
    expect(innermost?.place.text, control).toMatch(new RegExp(`^new Error\\("${expected.text}`));
    expect(innermost?.place.isExact, control).toBe(true);
    expect(innermost?.place.name, control).toBe(expected.name);
  }
});

test("an error thrown through React → frames in React's sources", async ({ page, arrivals, watch }) => {
  watch.allow(ERRORS.component);
  await openPage(page);
  await make(page, "Component error");
  const frames = await inAppFrames(arrivals, ERRORS.component);
  const react = frames.filter(({ place }) =>
    /\/node_modules\/react-dom\/.*react-dom-client\.production\.js$/.test(place.source)
  );
  expect(react.length).toBeGreaterThan(3);
  expect(react.map(({ place }) => place.name)).toContain("renderWithHooks");
  // All but the innermost frame point at calls.
  for (const { place } of frames.slice(1)) expect(place.text).toMatch(/^[\w$.]+ ?\(|^new /);
});

test("an error in a lazily loaded script → its source", async ({ page, arrivals, watch }) => {
  const text = "Thrown under a script that is loaded later";
  watch.allow(text);
  await openPage(page);
  const [island, later] = [
    assetOf("client.ts"),
    assetOf("islands/shared/manual_span.ts"),
  ];
  // The island, in the client’s script, calls performance.now() first: below the later script it fails once.
  await page.evaluate(([island, later, text]) => {
    const now = performance.now.bind(performance);
    performance.now = () => {
      const [, , caller = "", ...outer] = new Error().stack?.split("\n") ?? [];
      const isTarget = caller.includes(island!) && outer.some((frame) => frame.includes(later!));
      if (isTarget) throw new Error(text);
      return now();
    };
  }, [island, later, text]);
  await make(page, "Span with a fetch");

  const frames = await inAppFrames(arrivals, text);
  const measured = frames.find(({ frame }) => frame.filename?.endsWith(`/${later}`));
  expect(measured?.place.source).toBe("islands/shared/manual_span.ts");
  expect(measured?.place.text).toMatch(/^work\(/);
});

test("every loaded script → registers its debug id under its own address", async ({ page }) => {
  await openPage(page);
  await make(page, "Span with a fetch");
  await expect(page.getByText("A manual span was created.")).toBeVisible();
  const { registered, loaded } = await page.evaluate(() => ({
    registered: Object.entries(
      (self as unknown as { _debugIds: Record<string, string> })._debugIds,
    ),
    loaded: performance.getEntriesByType("resource").map(({ name }) => name)
      .filter((name) => /\/assets\/[^/]+\.js$/.test(name)),
  }));
  const kindOf = (address: string) => manifest.assets[address.split("/").at(-1)!]?.kind;
  // The recording's worker is a prebuilt script of a package and runs outside of the page.
  const scripts = [...new Set(loaded.filter((address) => kindOf(address) !== "extra"))];
  expect(new Set(scripts.map(kindOf))).toEqual(new Set(["vendor", "client", "chunk", "island"]));
  const places = registered.map(([stack]) => stack.split("\n").slice(1).map((line) => line.trim()));
  expect(places.map((frames) => frames.map((frame) => frame.replace(/^at |:\d+:\d+$/g, ""))).sort())
    .toEqual(scripts.map((address) => [address]).sort());
  for (const [stack, debugId] of registered) {
    expect(stack, "the id of its own map").toContain(`/assets/${scriptWithId(debugId)}:`);
  }
});
