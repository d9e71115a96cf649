import type { ComponentType } from "react";
import { ICONS } from "../../components/Icon.tsx";
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

const envelopes = () => import("../envelopes/Envelopes.tsx");
const settings = () => import("../settings/Settings.tsx");

/** All views, in their order. The first one is shown if the address names none; in relay mode Sentry has the rest. */
export const VIEWS: readonly View[] = [
  {
    id: "overview",
    title: "Overview",
    icon: ICONS.overview,
    group: "",
    key: "o",
    load: {
      inbox: () => import("../overview/Overview.tsx"),
      relay: () => import("../overview/RelayOverview.tsx"),
    },
  },
  {
    id: "errors",
    title: "Errors",
    icon: ICONS.errors,
    group: "Investigate",
    key: "e",
    list: "errors",
    load: { inbox: () => import("../errors/Errors.tsx") },
  },
  {
    id: "traces",
    title: "Traces",
    icon: ICONS.traces,
    group: "Investigate",
    key: "t",
    list: "traces",
    load: { inbox: () => import("../traces/Traces.tsx") },
  },
  {
    id: "logs",
    title: "Logs",
    icon: ICONS.logs,
    group: "Investigate",
    key: "l",
    list: "logs",
    load: { inbox: () => import("../logs/Logs.tsx") },
  },
  {
    id: "recordings",
    title: "Recordings",
    icon: ICONS.recordings,
    group: "Investigate",
    key: "r",
    list: "recordings",
    load: { inbox: () => import("../recordings/Recordings.tsx") },
  },
  {
    id: "profiles",
    title: "Profiles",
    icon: ICONS.profiles,
    group: "Investigate",
    key: "p",
    list: "profiles",
    load: { inbox: () => import("../profiles/Profiles.tsx") },
  },
  {
    id: "endpoints",
    title: "Endpoints",
    icon: ICONS.endpoints,
    group: "Watch",
    key: "d",
    load: { inbox: () => import("../endpoints/Endpoints.tsx") },
  },
  {
    id: "metrics",
    title: "Metrics",
    icon: ICONS.metrics,
    group: "Watch",
    key: "m",
    load: { inbox: () => import("../metrics/Metrics.tsx") },
  },
  {
    id: "monitors",
    title: "Monitors",
    icon: ICONS.monitors,
    group: "Watch",
    key: "n",
    load: { inbox: () => import("../monitors/Monitors.tsx") },
  },
  {
    id: "feedback",
    title: "Feedback",
    icon: ICONS.feedback,
    group: "Watch",
    key: "f",
    list: "feedback",
    load: { inbox: () => import("../feedback/Feedback.tsx") },
  },
  {
    id: "ai",
    title: "AI runs",
    icon: ICONS.ai,
    group: "Watch",
    key: "a",
    load: { inbox: () => import("../ai/AiRuns.tsx") },
  },
  {
    id: "connect",
    title: "Connect",
    icon: ICONS.connect,
    group: "Set up",
    key: "c",
    load: { inbox: () => import("../overview/Connect.tsx") },
  },
  {
    id: "envelopes",
    title: "Envelopes",
    icon: ICONS.envelopes,
    group: "Set up",
    key: "v",
    list: "envelopes",
    load: { inbox: envelopes, relay: envelopes },
  },
  {
    id: "settings",
    title: "Settings",
    icon: ICONS.settings,
    group: "Set up",
    key: "s",
    isRecorded: true,
    load: { inbox: settings, relay: settings },
  },
];

/** The views of a mode, `inbox` or `relay`. */
export const viewsOf = (mode: string): readonly View[] => VIEWS.filter(({ load }) => load[mode]);
