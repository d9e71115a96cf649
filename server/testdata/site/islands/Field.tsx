/** A text field, disabled until it is hydrated. */
import { useSyncExternalStore } from "react";

const never = () => () => {};

export function Field() {
  const isHydrated = useSyncExternalStore(never, () => true, () => false);
  return (
    <label>
      Note <input disabled={!isHydrated} />
    </label>
  );
}
