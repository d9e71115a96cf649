import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import {
  type FromPlayer,
  PORT,
  READY,
  type SentSegment,
  type ToPlayer,
} from "../../monitoring/protocol/player_messages.ts";

/** What the player shows. Times are milliseconds since the recording's start. */
interface PlayerState {
  readonly phase: "starting" | "ready" | "failed";
  readonly reason: string;
  /** Of the recorded window, in CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly pointer: { readonly x: number; readonly y: number; readonly pressed: boolean } | null;
  readonly at: number;
  readonly isPlaying: boolean;
  readonly isSkipping: boolean;
}

export interface Player extends PlayerState {
  play(at?: number): void;
  pause(): void;
  /** Shows another moment; continues to play if it was playing. */
  seek(at: number): void;
  /** Also lets it play to the end of `length`. */
  set(speed: number, skipInactive: boolean): void;
}

const STARTING: PlayerState = {
  phase: "starting",
  reason: "",
  width: 1280,
  height: 720,
  pointer: null,
  at: 0,
  isPlaying: false,
  isSkipping: false,
};

/** Milliseconds after which a player that did not start is reported. */
const START_TIMEOUT_MS = 15_000;

/**
 * Connects to the player's document and controls it.
 *
 * @param segments undefined: not read yet
 * @param length of the recording, milliseconds
 * @param moment that it shows at first, milliseconds since 1970. Default: the recording's start
 */
export function usePlayer(
  frame: RefObject<HTMLIFrameElement | null>,
  segments: readonly SentSegment[] | undefined,
  length: number,
  moment?: number,
): Player {
  const [state, setState] = useState(STARTING);
  const current = useRef(state);
  current.current = state;
  const port = useRef<MessagePort>(undefined);
  const [isConnected, setConnected] = useState(false);
  const at = useRef(0);

  useEffect(() => {
    const fail = (reason: string) => setState((now) => ({ ...now, phase: "failed", reason }));
    const timer = setTimeout(
      () =>
        fail("The player's document did not start. An extension or a proxy may have blocked it."),
      START_TIMEOUT_MS,
    );
    // The frame's origin is opaque: only its window identifies it.
    const connect = ({ source, data }: MessageEvent) => {
      const player = frame.current?.contentWindow;
      if (!player || source !== player || data !== READY) return;
      clearTimeout(timer);
      // The player repeats its message until the answer arrives, and keeps the first port.
      removeEventListener("message", connect);
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => {
        let message = parseMessage(data);
        if (message === undefined) return;
        if (message.is === "time") {
          // A late answer must not undo a newer seek, by which a paused player is moved.
          if (message.isPlaying || current.current.isPlaying) at.current = message.at;
          message = { ...message, at: at.current };
        }
        if (message.is === "loaded") at.current = message.at;
        const received = message;
        setState((now) => stateAfter(now, received));
      };
      port.current = port1;
      player.postMessage(PORT, "*", [port2]);
      setConnected(true);
    };
    addEventListener("message", connect);
    return () => {
      removeEventListener("message", connect);
      clearTimeout(timer);
      port.current?.close();
    };
  }, []);

  useEffect(() => {
    if (!isConnected || segments === undefined) return;
    // As JSON: parsing it there is faster than copying the parsed events.
    port.current?.postMessage({ do: "load", segments, at: at.current, moment } satisfies ToPlayer);
  }, [isConnected, segments]);

  const actions = useMemo(() => {
    const send = (message: ToPlayer) => port.current?.postMessage(message);
    return {
      play: (from = at.current) => send({ do: "play", at: from >= length - 1 ? 0 : from }),
      pause: () => send({ do: "pause" }),
      seek(to: number) {
        at.current = Math.max(0, Math.min(length, to));
        const values = { at: at.current };
        setState((now) => ({ ...now, ...values }));
        send({ do: current.current.isPlaying ? "play" : "pause", ...values });
      },
      set: (speed: number, skipInactive: boolean) =>
        send({ do: "set", speed, skipInactive, end: length }),
    };
  }, [length]);
  return { ...state, ...actions };
}

function stateAfter(state: PlayerState, message: FromPlayer): PlayerState {
  const { is, ...values } = message;
  switch (is) {
    case "loaded":
      return { ...state, ...values, phase: "ready" };
    case "failed":
      return { ...state, ...values, phase: "failed" };
    case "pointer": {
      const { x, y, pressed } = message as FromPlayer & { is: "pointer" };
      return { ...state, pointer: { x, y, pressed } };
    }
    default:
      return { ...state, ...values };
  }
}

const isNumber = (value: unknown) => typeof value === "number" && Number.isFinite(value);
const isBoolean = (value: unknown) => typeof value === "boolean";

/** The values of each message. The type requires all of them. */
const SHAPES: {
  readonly [Is in FromPlayer["is"]]: Readonly<
    Record<Exclude<keyof Extract<FromPlayer, { is: Is }>, "is">, (value: unknown) => boolean>
  >;
} = {
  loaded: { at: isNumber },
  failed: { reason: (value) => typeof value === "string" && value.length < 1_000 },
  size: { width: isNumber, height: isNumber },
  pointer: { x: isNumber, y: isNumber, pressed: isBoolean },
  time: { at: isNumber, isPlaying: isBoolean, isSkipping: isBoolean },
};

/**
 * Validates a message of the player; undefined: not valid. Attack: a recording that has taken over the player may send
 * anything.
 */
function parseMessage(value: unknown): FromPlayer | undefined {
  const fields = Object(value) as Record<string, unknown>;
  const { is } = fields;
  if (typeof is !== "string" || !Object.hasOwn(SHAPES, is)) return undefined;
  const shape = Object.entries(SHAPES[is as FromPlayer["is"]]);
  if (!shape.every(([name, isValid]) => isValid(fields[name]))) return undefined;
  return { is, ...Object.fromEntries(shape.map(([name]) => [name, fields[name]])) } as FromPlayer;
}
