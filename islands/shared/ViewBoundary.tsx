import type { ReactNode } from "react";
import { ErrorBoundary } from "./ErrorBoundary.tsx";
import { useMounted } from "./telemetry.ts";
import type { View } from "./view.ts";

/** Renders a view in the browser only, where the inbox and the address are known, and catches its errors. */
export function ViewBoundary({ view, children }: { view: View; children: ReactNode }) {
  const isMounted = useMounted();
  return (
    <ErrorBoundary what={`The ${view} view`}>
      {isMounted ? children : <p className="empty">{`Loading ${view}.`}</p>}
    </ErrorBoundary>
  );
}
