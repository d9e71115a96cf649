/** A choice of the user in `localStorage`; undefined: none, or the browser forbids storage. */
export function storedChoice(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores a choice of the user. Does nothing if storage is forbidden or full. @param choice undefined: removes it */
export function storeChoice(key: string, choice: string | undefined): void {
  try {
    if (choice === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, choice);
  } catch {
    // The choice ends with the page.
  }
}
