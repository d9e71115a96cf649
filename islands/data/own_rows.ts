import { useSyncExternalStore } from "react";
import { Store } from "./store.ts";
import { storeChoice, storedChoice } from "./stored_choice.ts";

const KEY = "sightglass.own";

/**
 * Whether the user has asked for the rows of Sightglass itself: by making a test signal. Then lists have them by
 * default while no application has sent anything. Remembered for later visits.
 */
const asked = new Store(storedChoice(KEY) !== undefined);

export function askForOwnRows(): void {
  storeChoice(KEY, "listed");
  asked.set(true);
}

export const useAskedForOwnRows = () => useSyncExternalStore(asked.subscribe, asked.snapshot);
