import "../view_code.ts";
import { useFragment } from "../data/fragment.ts";
import { RecordingList } from "./RecordingList.tsx";
import { RecordingView } from "./RecordingView.tsx";
import { Split } from "../kit/Split.tsx";

/** Any other text in the address does not identify a recording. */
const REPLAY_ID = /^[\da-f]{32}$/;

/**
 * The view of session recordings: the list (`#/recordings`), or one of them (`#/recordings/ID`), at a moment
 * (`?at=TIME`, milliseconds since 1970).
 */
export default function ListOrRecording() {
  // While another view is open, the last recording stays as it is.
  const { path: [id = ""] } = useFragment();
  const replayId = REPLAY_ID.test(id) ? id : undefined;
  return (
    <Split
      look="covers"
      list={<RecordingList openKey={replayId} />}
      detail={replayId && <RecordingView key={replayId} replayId={replayId} />}
    />
  );
}
