import { Component, type ErrorInfo, type ReactNode } from "react";
import { Failure } from "./Failure.tsx";

interface Props {
  /** What is inside, as the reader knows it. */
  readonly what: string;
  /** Told once for each error, after the fallback is in place. */
  readonly onError: (error: unknown, info: ErrorInfo) => void;
  /** Called before what is inside is rendered again. */
  readonly onRetry?: () => void;
  /** The reader's own act makes it fail: the fallback takes the focus that would else be lost. */
  readonly takesFocus?: boolean;
  readonly children: ReactNode;
}

/** Keeps the failure of what is inside from what is around it. */
export class ErrorBoundary extends Component<Props, { readonly failed?: { error: unknown } }> {
  override state: { readonly failed?: { error: unknown } } = {};

  static getDerivedStateFromError(error: unknown) {
    return { failed: { error } };
  }

  override componentDidCatch(error: unknown, info: ErrorInfo) {
    this.props.onError(error, info);
  }

  readonly retry = () => {
    this.props.onRetry?.();
    this.setState({ failed: undefined });
  };

  override render() {
    const { failed } = this.state;
    const { what, takesFocus, children } = this.props;
    if (!failed) return children;
    return <Failure what={what} error={failed.error} takesFocus={takesFocus} retry={this.retry} />;
  }
}
