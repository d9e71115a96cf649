/**
 * The player's document, in a frame of the console with an opaque origin. It shows one recording at a time, in its own
 * document: rrweb's replayer plays into an inner frame, whose document would have another opaque origin and be out of
 * reach.
 */
import { Replayer } from "@sentry/rrweb";
import { joinSegments, parseSegment } from "../models/recording/recording.ts";
import { type FromPlayer, PORT, READY, type ToPlayer } from "../protocol/player_messages.ts";
import {
  adoptAllStyles,
  type Incremental,
  type Internals,
  MUTATION,
  replaceParts,
  type SafeNode,
} from "./replayer_parts.ts";
import { type SafeEvent, Sanitizer } from "./sanitizer.ts";

/** Milliseconds between two messages with the time, while it plays. */
const TIME_MS = 100;
/** Milliseconds after which the console is asked for the port again. */
const READY_MS = 100;
/** Milliseconds without input that are skipped. In fewer than 1.5 times 5 s rrweb would play no faster. */
const INACTIVE_MS = 7_500;

/** Shown in place of what was not recorded or not allowed. */
const BLOCKED_STYLE = "[data-rr-blocked] { background: repeating-linear-gradient(" +
  "135deg, #8882 0 6px, #8884 6px 12px) !important; min-width: 8px; min-height: 8px; }";

let port: MessagePort;
const send = (message: FromPlayer) => port.postMessage(message);
replaceParts(send);

let replayer: Replayer | undefined;
let isPlaying = false;
let length = 0;
/** Milliseconds from the start to the first complete picture: before it the replayer would show what was last. */
let pictureAt = 0;
/** Milliseconds from the start to the first event after which the page has something to see. */
let drawnAt = 0;
let settings = { speed: 1, skipInactive: false };

function load({ segments, at, moment }: ToPlayer & { do: "load" }): void {
  replayer?.pause();
  isPlaying = false;
  // The console reports those that cannot be parsed.
  const parsed = segments.map(parseSegment).filter((segment) => segment !== undefined);
  const { played = [] } = joinSegments(parsed) ?? {};
  const sanitizer = new Sanitizer();
  const events = played.map((event) => sanitizer.event(event)).filter((event) =>
    event !== undefined
  );
  const start = events[0]?.timestamp ?? 0;
  const picture = events.find(({ type }) => type === 2);
  if (picture === undefined) throw new Error("it has no complete picture");
  pictureAt = picture.timestamp - start;
  drawnAt = (events.find(isDrawing)?.timestamp ?? picture.timestamp) - start;
  // A replayer needs a size first.
  const size: SafeEvent = {
    type: 4,
    timestamp: start,
    data: { href: "", width: 1280, height: 800 },
  };
  if (events[0]?.type !== 4) events.unshift(size);
  length = (events.at(-1)?.timestamp ?? start) - start;
  replayer = new Replayer(events as never, {
    ...settings,
    mouseTail: false,
    triggerFocus: false,
    showWarning: false,
    UNSAFE_replayCanvas: false,
    inactivePeriodThreshold: INACTIVE_MS,
    insertStyleRules: [BLOCKED_STYLE],
  });
  replayer.on("finish", () => {
    isPlaying = false;
    sendTime();
  });
  const playing = replayer;
  playing.on("flush", () => adoptAllStyles(playing));
  const shownAt = moment === undefined ? Math.max(at, drawnAt) : moment - start;
  showAt(shownAt);
  send({ is: "loaded", at: shownAt });
  sendTime();
}

/** Elements that have something to see without text. */
const SEEN: ReadonlySet<unknown> = new Set(["img", "svg", "canvas", "video", "input", "button"]);
const UNSEEN: ReadonlySet<unknown> = new Set(["head", "style", "script", "noscript", "template"]);

/** Whether an event adds text or a picture: a page is often empty until its script has run. */
function isDrawing({ type, data }: SafeEvent): boolean {
  if (type === 2) return isSeen((data as { node: SafeNode }).node);
  if (type !== 3 || (data as Incremental).source !== MUTATION) return false;
  return (data as Incremental).adds.some(({ node }) => isSeen(node));
}

function isSeen({ tagName, textContent = "", childNodes = [] }: SafeNode): boolean {
  return !UNSEEN.has(tagName) &&
    (SEEN.has(tagName) || /\S/.test(textContent) || childNodes.some(isSeen));
}

/**
 * Corrects the replayer's position before a seek. The replayer derives it from the last event, and takes a mouse event
 * for up to 500 ms earlier: a seek back by less would change nothing, and one forward would apply changes twice.
 */
function correctPosition(): void {
  if (replayer === undefined) return;
  const { context } = (replayer as unknown as Internals).service.state;
  if (context.lastPlayedEvent === null) return;
  const start = context.events[0]?.timestamp ?? 0;
  // After a seek the events of its very millisecond are not played yet.
  const played = Math.ceil(replayer.getCurrentTime()) - 1;
  context.lastPlayedEvent = { type: 5, timestamp: start + played };
}

/** The replayer shows what is before a time: with one millisecond more it shows the events of that time, too. */
function showAt(at: number): void {
  if (replayer === undefined) return;
  correctPosition();
  const { events } = (replayer as unknown as Internals).service.state.context;
  const offset = Math.min(Math.max(at, pictureAt), length) + 1;
  const time = (events[0]?.timestamp ?? 0) + offset;
  // Later events are removed during `pause`, which would schedule each of them.
  const first = events.findIndex(({ timestamp }) => timestamp >= time);
  const later = first === -1 ? [] : events.splice(first);
  replayer.pause(offset);
  for (const event of later) events.push(event);
}

/** Lets it play on after the last frame, with an input that does nothing: to it the replayer skips. */
function extendTo(end: number): void {
  if (replayer === undefined || end <= length) return;
  const timestamp = replayer.getMetaData().startTime + end;
  replayer.addEvent({ type: 3, timestamp, data: { source: 2, id: -1 } } as never);
  length = end;
}

function sendTime(): void {
  if (replayer === undefined) return;
  const { speedService } = replayer as unknown as Internals;
  const at = Math.min(length, Math.max(0, replayer.getCurrentTime()));
  send({ is: "time", at, isPlaying, isSkipping: speedService.state.matches("skipping") });
}

function take(message: ToPlayer): void {
  switch (message.do) {
    case "load":
      return load(message);
    case "play":
      isPlaying = true;
      correctPosition();
      replayer?.play(message.at);
      return sendTime();
    case "pause":
      isPlaying = false;
      if (message.at === undefined) replayer?.pause();
      else showAt(message.at);
      return sendTime();
    case "set":
      settings = { speed: message.speed, skipInactive: message.skipInactive };
      extendTo(message.end);
      return replayer?.setConfig(settings);
  }
}

function listen(to: MessagePort): void {
  port = to;
  port.onmessage = ({ data }: MessageEvent<ToPlayer>) => {
    try {
      take(data);
    } catch (error) {
      send({ is: "failed", reason: error instanceof Error ? error.message : String(error) });
    }
  };
  setInterval(() => isPlaying && sendTime(), TIME_MS);
}

// The console may not listen yet. Its origin is not known here, and the message has no content.
const asking = setInterval(() => parent.postMessage(READY, "*"), READY_MS);
parent.postMessage(READY, "*");
addEventListener("message", function answer({ source, data, ports }: MessageEvent) {
  if (source !== parent || data !== PORT || ports[0] === undefined) return;
  removeEventListener("message", answer);
  clearInterval(asking);
  listen(ports[0]);
});
