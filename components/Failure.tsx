import { Mark } from "./Mark.tsx";

/**
 * What stands in place of a component that failed.
 *
 * @param props.what the component, as the reader knows it
 * @param props.error what it threw
 * @param props.takesFocus the reader's own act made it fail, and what had the focus is gone
 * @param props.retry renders the component again
 */
export function Failure({ what, error, takesFocus, retry }: {
  what: string;
  error: unknown;
  takesFocus?: boolean;
  retry: () => void;
}) {
  return (
    <div className="failure" role="alert">
      <p>
        <Mark kind="refused" />
        <b>{what} failed.</b> The rest of the page is not affected.
      </p>
      <p>
        <code>{error instanceof Error ? `${error.name}: ${error.message}` : String(error)}</code>
      </p>
      <button type="button" autoFocus={takesFocus} onClick={retry}>Try again</button>
    </div>
  );
}
