/**
 * Messages between the console and the player's document. The player's origin is opaque, so neither side can check
 * the other's: the first message is checked by its `source`, all others go through a port that only the two have.
 *
 * 1. player → its parent window, repeated until answered: {@linkcode READY}
 * 2. console → player's window: {@linkcode PORT} with a transferred `MessagePort`
 * 3. through the port: {@linkcode ToPlayer}, {@linkcode FromPlayer}
 *
 * What comes from the player is as untrusted as the recording.
 */
export const READY = "sightglass-player-ready";
export const PORT = "sightglass-player-port";

export const PLAYER_PATH = "/monitoring/player";

export interface SentSegment {
  readonly number: number;
  readonly start: number | undefined;
  /** An array of rrweb events. */
  readonly json: Uint8Array;
}

/** What the console requests. Times are milliseconds since the recording's first event. */
export type ToPlayer =
  /**
   * Replaces the recording, paused at `moment` (since 1970), else at `at`, or at the first frame that shows something. The
   * player removes what is not allowed.
   */
  | {
    readonly do: "load";
    readonly segments: readonly SentSegment[];
    readonly at: number;
    readonly moment: number | undefined;
  }
  | { readonly do: "play"; readonly at: number }
  /** Without `at`: where it is. */
  | { readonly do: "pause"; readonly at?: number }
  /** `end`: of the time line, which may be later than the last frame. */
  | {
    readonly do: "set";
    readonly speed: number;
    readonly skipInactive: boolean;
    readonly end: number;
  };

/** What the player reports. */
export type FromPlayer =
  /** `at`: what it shows. */
  | { readonly is: "loaded"; readonly at: number }
  /** The recording cannot be played. The reason is for display. */
  | { readonly is: "failed"; readonly reason: string }
  /** Size of the recorded window, in CSS pixels. */
  | { readonly is: "size"; readonly width: number; readonly height: number }
  /** Where the pointer is in the recorded window. */
  | { readonly is: "pointer"; readonly x: number; readonly y: number; readonly pressed: boolean }
  | {
    readonly is: "time";
    readonly at: number;
    readonly isPlaying: boolean;
    readonly isSkipping: boolean;
  };
