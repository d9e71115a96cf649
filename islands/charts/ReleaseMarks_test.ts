import assert from "node:assert/strict";
import type { ApplicationRow } from "../../monitoring/models/application_rows.ts";
import { releaseLabels, releaseMarks, shownApplications } from "./ReleaseMarks.tsx";

function applicationOf(
  name: string,
  environment: string,
  releases: Record<string, number>,
  starts: readonly number[] = [],
): ApplicationRow {
  return {
    key: `${name} ${environment}`,
    name,
    environment,
    side: "server",
    releases: Object.keys(releases),
    releases_since: Object.values(releases),
    starts,
    envelopes: 1,
    last_seen: 9,
    clock_ms: null,
  };
}

Deno.test("several releases, also in other environments → a mark for each but the first", () => {
  const rows = [
    applicationOf("api", "production", { "api@2": 50, "api@1": 10 }),
    applicationOf("api", "canary", { "api@3": 70, "api@2": 30 }),
    applicationOf("web", "production", { "web@1": 40 }),
  ];
  assert.deepEqual(releaseMarks(rows, 0, 100), [
    { at: 30, text: "api 2", release: "2" },
    { at: 70, text: "api 3", release: "3" },
  ]);
  assert.deepEqual(releaseMarks(rows, 31, 70), []);
  // What it sends is drawn by its clock.
  const late = applicationOf("late", "production", { "late@1": 1, "late@2": 2 });
  const [mark] = releaseMarks([{ ...late, clock_ms: 600_000 }], 0, 1e6);
  assert.equal(mark?.at, 600_002);
});

Deno.test("labels of releases → none runs into another; of near ones the last has its label", () => {
  const marks = [10, 40, 70, 75, 95].map((at) => ({ at, text: `api ${at}`, release: `${at}` }));
  const labels = [...releaseLabels(marks, ({ at }) => at).values()];
  assert.deepEqual(labels.map(({ text, room }) => [text, room]), [
    ["api 10", 30],
    // They face each other.
    ["api 40", 17.5],
    ["api 75", 17.5],
    ["api 95", 20],
  ]);
});

Deno.test("started again and again → a mark for each start, not beside a release or another start", () => {
  const starts = [90, 80.5, 80, 49.5, 10];
  const rows = [applicationOf("api", "production", { "api@1": 10, "api@2": 50 }, starts)];
  assert.deepEqual(releaseMarks(rows, 5, 100).map(({ at, text }) => [at, text]), [
    [10, "api started"],
    [50, "api 2"],
    [80.5, "api started"],
    [90, "api started"],
  ]);
  const ofRelease = releaseMarks(rows, 5, 100, "api@2");
  assert.deepEqual(ofRelease.map(({ text }) => text), ["api 2"], "starts are of all releases");
  assert.deepEqual(releaseMarks(rows, 5, 100, "web@2"), []);
});

Deno.test("environment or application chosen → marks of these alone, never of Sightglass", () => {
  const rows = [
    applicationOf("api", "production", {}),
    applicationOf("api", "canary", {}),
    { ...applicationOf("Sightglass", "production", {}), key: "sightglass" },
  ];
  const keys = (...chosen: [string | null, string | null]) =>
    shownApplications(rows, ...chosen).map(({ key }) => key);
  assert.deepEqual(keys(null, null), ["api production", "api canary"]);
  assert.deepEqual(keys("all", "canary"), ["api canary"]);
  assert.deepEqual(keys("api canary", "canary"), ["api canary"]);
  assert.deepEqual(keys("sightglass", null), ["sightglass"]);
});
