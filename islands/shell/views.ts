import type { ComponentType } from "react";
import type { PageFacts } from "../../components/page_facts.ts";
import { type View, viewsOf } from "../data/view.ts";

type ViewComponent = ComponentType<PageFacts>;

/** The code of each view. A new view is a folder, a name in `view.ts` and a line here. */
const VIEW_CODE: Readonly<
  Record<View, (variant: string) => Promise<{ readonly default: ViewComponent }>>
> = {
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

/** Loads a view that is opened for the first time, and opens the API that all views share. */
export async function loadView(view: View, variant: string): Promise<ViewComponent> {
  const data = import("../background_code.ts").then(({ startReading }) => startReading(variant));
  const code = viewsOf(variant).includes(view)
    ? VIEW_CODE[view](variant)
    : import("../overview/InSentry.tsx");
  const [module] = await Promise.all([code, data]);
  return module.default;
}

/** Loads the choice of an application in the sidebar, of inbox mode. */
export async function loadSwitcher(): Promise<ComponentType> {
  const [{ Switcher }, { startReading }] = await Promise.all([
    import("./Switcher.tsx"),
    import("../background_code.ts"),
  ]);
  await startReading("inbox");
  return Switcher;
}
