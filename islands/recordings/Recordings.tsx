import "../shared/view_code.ts";
import { useFragment } from "../shared/fragment.ts";
import { RecordingList } from "./RecordingList.tsx";
import { RecordingView } from "./RecordingView.tsx";
import { useShownBefore } from "../shared/list_navigation.ts";

/** Any other text in the address does not identify a recording. */
const REPLAY_ID = /^[\da-f]{32}$/;

/**
 * The view of session recordings: the list (`#/recordings`), or one of them (`#/recordings/ID`), at a moment
 * (`?at=TIME`, milliseconds since 1970).
 */
export default function ListOrRecording() {
  // While another view is open, the last recording stays as it is.
  const { path: [id = ""] } = useFragment("recordings");
  const replayId = REPLAY_ID.test(id) ? id : undefined;
  const { returnFrom, wasListShown } = useShownBefore(replayId, replayId === undefined);

  if (replayId === undefined) return <RecordingList returnFrom={returnFrom} />;
  return (
    <RecordingView
      key={replayId}
      replayId={replayId}
      takesFocus={wasListShown}
    />
  );
}
