import type { ComponentType } from "react";
import type { PageFacts } from "../shared/page_facts.ts";
import type { View } from "../shared/view.ts";

interface ViewModule {
  readonly default: ComponentType<PageFacts>;
}

/** The code of each view, loaded when it is first opened. A new view is a folder, a name in `view.ts` and a line here. */
export const VIEW_CODE: Readonly<Record<View, (variant: string) => Promise<ViewModule>>> = {
  overview: (variant) =>
    variant === "inbox"
      ? import("../overview/Overview.tsx")
      : import("../overview/RelayOverview.tsx"),
  errors: () => import("../errors/Errors.tsx"),
  traces: () => import("../traces/Traces.tsx"),
  logs: () => import("../logs/Logs.tsx"),
  recordings: () => import("../recordings/Recordings.tsx"),
  connect: () => import("../overview/Connect.tsx"),
  envelopes: () => import("../envelopes/Envelopes.tsx"),
  settings: () => import("../settings/Settings.tsx"),
};
