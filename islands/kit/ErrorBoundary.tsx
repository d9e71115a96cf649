import { Component, type ErrorInfo, type ReactNode } from "react";
import { ReadFailure } from "../../components/ReadFailure.tsx";
import { captureError } from "../../monitoring/browser/mod.ts";

interface Props {
  /** Name of the content, for the message: "This view". */
  readonly what: string;
  readonly children: ReactNode;
}

/** Catches errors of its content, reports them as handled, and shows a message with a retry button. */
export class ErrorBoundary extends Component<Props, { readonly failed?: { error: unknown } }> {
  override state: { readonly failed?: { error: unknown } } = {};

  static getDerivedStateFromError(error: unknown) {
    return { failed: { error } };
  }

  override componentDidCatch(error: unknown, { componentStack }: ErrorInfo) {
    captureError(error, { componentStack: componentStack ?? undefined, handled: true });
  }

  readonly retry = () => this.setState({ failed: undefined });

  override render() {
    const { failed } = this.state;
    const { what, children } = this.props;
    if (!failed) return children;
    const { error } = failed;
    return (
      <ReadFailure
        title={`${what} failed.`}
        message="The rest of the page is not affected."
        retry={this.retry}
      >
        <code>{error instanceof Error ? `${error.name}: ${error.message}` : String(error)}</code>
      </ReadFailure>
    );
  }
}
