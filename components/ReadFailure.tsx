import { Mark } from "./Mark.tsx";

/**
 * What stands in place of something that could not be read, with the way to try again.
 *
 * @param props.sentence why, made to be shown
 * @param props.download an address that gives the bytes, for who wants to look at them elsewhere
 */
export function ReadFailure({ sentence, retry, download }: {
  sentence: string | undefined;
  retry: () => void;
  download?: string | undefined;
}) {
  return (
    <div className="empty">
      <p role="alert" className="refused">
        <Mark kind="refused" />
        {sentence}
      </p>
      <button type="button" onClick={retry}>Try again</button>{" "}
      {download !== undefined && <a href={download} download="">Download the envelope</a>}
    </div>
  );
}
