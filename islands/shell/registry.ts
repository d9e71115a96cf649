import type { ComponentType } from "react";
import { type IconName, ICONS } from "../../components/Icon.tsx";
import type { PageFacts } from "../../components/page_facts.ts";
import type { ViewFacts } from "../data/view.ts";

/**
 * A view: a folder in `islands/`, and its entry in {@linkcode VIEWS}. Navigation, titles, shortcuts and help follow
 * from the entry. `ID.css` beside its code is loaded with it. Its module begins with an import of `view_code.ts`, so
 * that the build makes few files.
 */
export interface View extends ViewFacts {
  /** Heading of its place in the sidebar. */
  readonly group: "" | "Investigate" | "Watch" | "Set up";
  /** The key that opens it after `g`. */
  readonly key: string;
  /** Its code in each mode that has it, `inbox` or `relay`. */
  readonly load: Readonly<
    Partial<Record<string, () => Promise<{ readonly default: ComponentType<PageFacts> }>>>
  >;
  /** It blocks its parts that show telemetry from recordings itself. */
  readonly isRecorded?: boolean;
}

/** An entry: by default, its id is also its title and the name of its icon. */
type Entry =
  & Omit<View, "title" | "icon">
  & Partial<Pick<View, "title">>
  & ({ readonly id: IconName } | Pick<View, "icon">);

/** Of what an inbox has; in relay mode Sentry has it. */
const inInbox = (
  group: View["group"],
  id: IconName,
  key: string,
  inbox: Required<View["load"]>[string],
): Entry => ({ id, group, key, load: { inbox } });

const envelopes = () => import("../envelopes/Envelopes.tsx");
const settings = () => import("../settings/Settings.tsx");

/** All views, in their order. The first one is shown if the address names none. */
const ENTRIES: readonly Entry[] = [
  {
    id: "overview",
    group: "",
    key: "o",
    load: {
      inbox: () => import("../overview/Overview.tsx"),
      relay: () => import("../overview/RelayOverview.tsx"),
    },
  },
  inInbox("Investigate", "errors", "e", () => import("../errors/Errors.tsx")),
  inInbox("Investigate", "traces", "t", () => import("../traces/Traces.tsx")),
  inInbox("Investigate", "logs", "l", () => import("../logs/Logs.tsx")),
  inInbox("Investigate", "recordings", "r", () => import("../recordings/Recordings.tsx")),
  inInbox("Investigate", "profiles", "p", () => import("../profiles/Profiles.tsx")),
  inInbox("Watch", "endpoints", "d", () => import("../endpoints/Endpoints.tsx")),
  inInbox("Watch", "metrics", "m", () => import("../metrics/Metrics.tsx")),
  inInbox("Watch", "monitors", "n", () => import("../monitors/Monitors.tsx")),
  inInbox("Watch", "feedback", "f", () => import("../feedback/Feedback.tsx")),
  { ...inInbox("Watch", "ai", "a", () => import("../ai/AiRuns.tsx")), title: "AI runs" },
  inInbox("Set up", "connect", "c", () => import("../overview/Connect.tsx")),
  { id: "envelopes", group: "Set up", key: "v", load: { inbox: envelopes, relay: envelopes } },
  {
    id: "settings",
    group: "Set up",
    key: "s",
    isRecorded: true,
    load: { inbox: settings, relay: settings },
  },
];

export const VIEWS: readonly View[] = ENTRIES.map((entry) => ({
  title: entry.id[0]!.toUpperCase() + entry.id.slice(1),
  icon: ICONS[entry.id as IconName],
  ...entry,
}));

export const viewsOf = (mode: string): readonly View[] => VIEWS.filter(({ load }) => load[mode]);
