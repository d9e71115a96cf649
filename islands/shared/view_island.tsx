import type { ComponentType } from "react";
import { withBoundary } from "./ErrorBoundary.tsx";
import { useMounted } from "./telemetry.ts";
import type { View } from "./view.ts";

interface ViewProps {
  /** `inbox` or `relay`. */
  readonly variant: string;
}

/** The island of a view: rendered in the browser only, where the inbox and the address are known. */
export function viewIsland(
  view: View,
  Content: ComponentType<ViewProps>,
): ComponentType<ViewProps> {
  return withBoundary(`The ${view} view`, (props) => {
    const isMounted = useMounted();
    return isMounted ? <Content {...props} /> : <p className="empty">{`Loading ${view}.`}</p>;
  });
}
