import { OutcomeMark } from "./OutcomeMark.tsx";

/**
 * Shown in place of data that could not be read.
 *
 * @param props.message why, for the user
 * @param props.retry reads the data again
 * @param props.isRepeated another part of the page shows the same: no second alert
 * @param props.download address of the raw bytes
 */
export function ReadFailure({ message, retry, isRepeated, download }: {
  message: string | undefined;
  retry: () => void;
  isRepeated?: boolean;
  download?: string | undefined;
}) {
  return (
    <div className="empty">
      {isRepeated ? <p>{message}</p> : (
        <p role="alert" className="refused">
          <OutcomeMark kind="refused" />
          {message}
        </p>
      )}
      <button type="button" onClick={retry}>Try again</button>{" "}
      {download !== undefined && <a href={download} download="">Download the envelope</a>}
    </div>
  );
}
