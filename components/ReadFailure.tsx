import { OutcomeMark } from "./OutcomeMark.tsx";

/**
 * Shown in place of data that could not be read.
 *
 * @param props.sentence why, for the user
 * @param props.retry reads the data again
 * @param props.isRepeated the page shows the same failure in another place: no second alert
 * @param props.download address of the raw bytes
 */
export function ReadFailure({ sentence, retry, isRepeated, download }: {
  sentence: string | undefined;
  retry: () => void;
  isRepeated?: boolean;
  download?: string | undefined;
}) {
  return (
    <div className="empty">
      {isRepeated ? <p>{sentence}</p> : (
        <p role="alert" className="refused">
          <OutcomeMark kind="refused" />
          {sentence}
        </p>
      )}
      <button type="button" onClick={retry}>Try again</button>{" "}
      {download !== undefined && <a href={download} download="">Download the envelope</a>}
    </div>
  );
}
