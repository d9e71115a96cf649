import type { ComponentProps } from "react";
import { ErrorBoundary } from "../../components/ErrorBoundary.tsx";
import { captureError } from "../../monitoring/browser/mod.ts";

/** A boundary that reports what it caught. It was handled: the reader sees the fallback, not a blank. */
export function Boundary(props: Omit<ComponentProps<typeof ErrorBoundary>, "onError">) {
  return (
    <ErrorBoundary
      {...props}
      onError={(error, { componentStack }) =>
        captureError(error, { componentStack: componentStack ?? undefined, handled: true })}
    />
  );
}
