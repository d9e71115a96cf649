import { type RefObject, useEffect, useReducer } from "react";
import { placeOf } from "../../components/error/error_as_text.ts";
import { entriesOf } from "../../monitoring/inbox/read/entries/entries.ts";
import { readErrorEvent } from "../../monitoring/inbox/read/error/error_event.ts";
import { parseEnvelope } from "../../monitoring/inbox/read/parsed_envelope.ts";
import type { ErrorGroupRow } from "../../monitoring/inbox/read/rows.ts";
import type { ConsoleSource } from "../../monitoring/inbox/read/source/source.ts";
import { finderOf } from "./finder.ts";

/** A script of a build: where in it an error was thrown says nothing to a person. */
const BUILT = /\/assets\/[^/]+\.js\b/;
/** Groups that are looked up for one page: each costs an envelope, and anyone may post errors. */
const MAX_GROUPS = 200;

interface Places {
  /** What was found, by group; undefined: it is being looked for, or nothing was found. */
  readonly found: Map<string, string | undefined>;
  /** The end of the queue: one is looked up at a time, so that the list's own questions come first. */
  last: Promise<void>;
}

/** Of a source, so that who comes back to the list finds them there. */
const known = new WeakMap<ConsoleSource, Places>();

/**
 * Where errors of a built script were thrown, in its sources, by group: "function (file:line)". Only rows that come in
 * sight are looked up; until something is found, and where nothing is, the row's own place holds.
 *
 * @param rows each has an element `data-group` within `body`
 */
export function usePlaces(
  source: ConsoleSource | undefined,
  rows: readonly ErrorGroupRow[],
  body: RefObject<Element | null>,
): ReadonlyMap<string, string | undefined> {
  const [, show] = useReducer((n: number) => n + 1, 0);
  useEffect(() => {
    // A visit has no source maps to read.
    if (source?.scope !== "inbox") return;
    const places = placesOf(source);
    const wanted = new Map(
      rows.filter(({ group, where }) => BUILT.test(where ?? "") && !places.found.has(group))
        .map((row) => [row.group, row]),
    );
    const observer = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        const row = wanted.get((target as HTMLElement).dataset.group ?? "");
        if (!isIntersecting || !row || places.found.has(row.group)) continue;
        if (places.found.size >= MAX_GROUPS) return observer.disconnect();
        places.found.set(row.group, undefined);
        places.last = places.last.then(async () => {
          places.found.set(row.group, await lookUp(source, row));
          show();
        }).catch(() => {
          // The place as it was sent still stands there.
        });
      }
    });
    for (const link of body.current?.querySelectorAll("[data-group]") ?? []) observer.observe(link);
    return () => observer.disconnect();
  }, [source, rows]);
  return source ? placesOf(source).found : NONE;
}

const NONE: ReadonlyMap<string, string> = new Map();

function placesOf(source: ConsoleSource): Places {
  const places = known.get(source) ?? { found: new Map(), last: Promise.resolve() };
  known.set(source, places);
  return places;
}

/** Reads the group's newest error, as its own view does, and finds the innermost own frame. */
async function lookUp(
  source: ConsoleSource,
  { group, envelope }: ErrorGroupRow,
): Promise<string | undefined> {
  const bytes = await source.envelope(envelope);
  if (bytes === undefined) return undefined;
  const entry = entriesOf(parseEnvelope(bytes), 0).errors.find((error) => error.group === group);
  if (!entry) return undefined;
  const { exceptions, stack, debugIds } = readErrorEvent(bytes, entry.event_id);
  const { shown } = exceptions.shown[0]?.stack ?? stack;
  const frames = await finderOf(source).find(shown, debugIds);
  const frame = frames.find(({ own, script }) => own !== false && script !== null);
  if (!frame) return undefined;
  return frame.function === null ? placeOf(frame) : `${frame.function} (${placeOf(frame)})`;
}
