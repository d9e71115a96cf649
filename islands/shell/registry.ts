import type { ComponentType } from "react";
import { type IconName, ICONS } from "../../components/Icon.tsx";
import type { PageFacts } from "../../components/page_facts.ts";
import type { ListCounts } from "../../monitoring/models/application_rows.ts";
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
  /** The list whose new rows are counted beside its name. */
  readonly list?: keyof ListCounts;
  /** It blocks its parts that show telemetry from recordings itself. */
  readonly isRecorded?: boolean;
}

/** An entry: by default, its id is also its title and the name of its icon. */
type Entry =
  & Omit<View, "title" | "icon">
  & Partial<Pick<View, "title">>
  & ({ readonly id: IconName } | Pick<View, "icon">);

const envelopes = () => import("../envelopes/Envelopes.tsx");
const settings = () => import("../settings/Settings.tsx");

/** All views, in their order. The first one is shown if the address names none; in relay mode Sentry has the rest. */
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
  {
    id: "errors",
    group: "Investigate",
    key: "e",
    list: "errors",
    load: { inbox: () => import("../errors/Errors.tsx") },
  },
  {
    id: "traces",
    group: "Investigate",
    key: "t",
    list: "traces",
    load: { inbox: () => import("../traces/Traces.tsx") },
  },
  {
    id: "logs",
    group: "Investigate",
    key: "l",
    list: "logs",
    load: { inbox: () => import("../logs/Logs.tsx") },
  },
  {
    id: "recordings",
    group: "Investigate",
    key: "r",
    list: "recordings",
    load: { inbox: () => import("../recordings/Recordings.tsx") },
  },
  {
    id: "profiles",
    group: "Investigate",
    key: "p",
    list: "profiles",
    load: { inbox: () => import("../profiles/Profiles.tsx") },
  },
  {
    id: "endpoints",
    group: "Watch",
    key: "d",
    load: { inbox: () => import("../endpoints/Endpoints.tsx") },
  },
  {
    id: "metrics",
    group: "Watch",
    key: "m",
    load: { inbox: () => import("../metrics/Metrics.tsx") },
  },
  {
    id: "monitors",
    group: "Watch",
    key: "n",
    load: { inbox: () => import("../monitors/Monitors.tsx") },
  },
  {
    id: "feedback",
    group: "Watch",
    key: "f",
    list: "feedback",
    load: { inbox: () => import("../feedback/Feedback.tsx") },
  },
  {
    id: "ai",
    title: "AI runs",
    group: "Watch",
    key: "a",
    load: { inbox: () => import("../ai/AiRuns.tsx") },
  },
  {
    id: "connect",
    group: "Set up",
    key: "c",
    load: { inbox: () => import("../overview/Connect.tsx") },
  },
  {
    id: "envelopes",
    group: "Set up",
    key: "v",
    list: "envelopes",
    load: { inbox: envelopes, relay: envelopes },
  },
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

/** The views of a mode, `inbox` or `relay`. */
export const viewsOf = (mode: string): readonly View[] => VIEWS.filter(({ load }) => load[mode]);
