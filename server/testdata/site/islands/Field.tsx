/** A text field, disabled until it is alive. */
import { useSyncExternalStore } from "react";

const never = () => () => {};

export default function Field() {
  const alive = useSyncExternalStore(never, () => true, () => false);
  return (
    <label>
      Note <input disabled={!alive} />
    </label>
  );
}
