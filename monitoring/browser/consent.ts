/** Kinds of signals that a person can grant and withdraw. `errors` includes whatever is of no other kind. */
export const SIGNAL_KINDS = ["errors", "traces", "recordings", "logs"] as const;

export type SignalKind = (typeof SIGNAL_KINDS)[number];

/**
 * When each kind was granted, milliseconds since 1970: what was collected before must not be sent. 0: from the
 * beginning; Infinity: withdrawn, or not granted yet.
 */
export type ConsentState = Readonly<Record<SignalKind, number>>;

/** Prefix of the keys in `localStorage`. One key for each kind: two tabs cannot overwrite each other's changes. */
const PREFIX = "consent:";

export type Consent = ReturnType<typeof createConsent>;

/**
 * Creates the consent of this page. Everything is granted until `start` is called.
 *
 * @param onChange receives each new state, and whether the next page will have it too
 */
export function createConsent(onChange: (state: ConsentState, isRemembered: boolean) => void) {
  let state: ConsentState = { errors: 0, traces: 0, recordings: 0, logs: 0 };
  /** What the browser refused to store. */
  const unsaved: Partial<Record<SignalKind, number>> = {};
  let act: (changed: readonly SignalKind[]) => void = () => {};

  function change(next: Partial<ConsentState>): void {
    const changed = SIGNAL_KINDS.filter((kind) => (next[kind] ?? state[kind]) !== state[kind]);
    state = { ...state, ...next };
    onChange(state, Object.keys(unsaved).length === 0);
    if (changed.length > 0) act(changed);
  }

  function save(kind: SignalKind, since: number): void {
    try {
      localStorage.setItem(PREFIX + kind, String(since));
      delete unsaved[kind];
    } catch {
      // Refused by the browser's settings, or full.
      unsaved[kind] = since;
    }
  }

  return {
    /**
     * Whether what was collected at `at` (milliseconds since 1970; default: now) may be sent. The default is below
     * Infinity, so that a withdrawn kind allows nothing.
     */
    allows: (kind: SignalKind, at = Number.MAX_VALUE): boolean => at >= state[kind],
    /**
     * Reads the choices of this browser, and follows those of other tabs.
     *
     * @param initial state of kinds without a choice: 0 or Infinity
     */
    start(initial: number) {
      const read = () => {
        const next: Partial<Record<SignalKind, number>> = {};
        for (const kind of SIGNAL_KINDS) next[kind] = sinceOf(stored(kind), initial);
        change({ ...next, ...unsaved });
      };
      read();
      addEventListener("storage", read);
      // In the back/forward cache a page gets no events of other tabs.
      addEventListener("pageshow", read);
    },
    /** Grants or withdraws a kind, and remembers it. If the browser refuses to store it, it holds for this page. */
    set(kind: SignalKind, isGranted: boolean) {
      const since = isGranted ? Math.min(state[kind], Date.now()) : Infinity;
      save(kind, since);
      change({ [kind]: since });
      // Where storage was full, the deletion has made space.
      if (kind in unsaved) save(kind, since);
    },
    /** Sets the function to call with the kinds that were just changed, here or in another tab. */
    follow(next: typeof act) {
      act = next;
    },
  };
}

function stored(kind: SignalKind): string | null {
  try {
    return localStorage.getItem(PREFIX + kind);
  } catch {
    // Refused by the browser's settings.
    return null;
  }
}

/** Reads a stored value. A damaged one counts as withdrawn; a future one was stored before the clock was set back. */
function sinceOf(text: string | null, initial: number): number {
  // Number("") is 0, which is "granted".
  const since = text === "" ? NaN : Number(text ?? initial);
  if (since > Date.now() && since < Infinity) return 0;
  return since >= 0 ? since : Infinity;
}
