import type { OccurrenceRow } from "../../models/error/error_row.ts";
import {
  readErrorEvent,
  type ReportedError,
  UnreadableEventError,
} from "../../models/error/error_event.ts";
import { hexId } from "../../models/json.ts";
import type { Inbox } from "../inbox.ts";
import { readBody } from "./read_envelope.ts";

/** Maximum number of errors of a group that are read, and bytes of their envelopes together. Takes some 30 ms. */
export const MAX_TAGGED = 50;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_NAMES = 12;
const MAX_VALUES = 4;
const MAX_TEXT = 200;

/** Contexts of which the name and the version are counted. */
const CONTEXTS: ReadonlySet<string> = new Set(["browser", "os", "runtime", "device"]);
const FACTS: ReadonlySet<string> = new Set(["release", "environment", "server"]);

/**
 * Counts the values of tags, contexts and facts of the sender in errors of a group, without ids and names whose
 * value differs in each error. Undefined: fewer than two errors can be read.
 */
export async function readTagValues(inbox: Inbox, rows: readonly OccurrenceRow[]) {
  const counts = new Map<string, Map<string, number>>();
  let errors = 0;
  let left = MAX_BYTES;
  for (const row of rows) {
    const body = await readBody(inbox, row.envelope, left);
    const event = body && tryRead(body.bytes, row.event_id, body.format);
    if (body === undefined || event === undefined) continue;
    left -= body.bytes.byteLength;
    errors++;
    for (const [name, value] of new Map(valuesOf(event))) {
      const values = counts.get(name) ?? new Map<string, number>();
      counts.set(name, values.set(value, (values.get(value) ?? 0) + 1));
    }
  }
  if (errors < 2) return undefined;
  const listed = [...counts].filter(([, values]) => values.size === 1 || values.size < errors)
    .sort(([, a], [, b]) => Number(b.size > 1) - Number(a.size > 1)).slice(0, MAX_NAMES);
  const names = listed.map(([name, values]) => ({
    name,
    values: [...values].sort(([, a], [, b]) => b - a).slice(0, MAX_VALUES)
      .map(([value, count]) => ({ value, count })),
  }));
  return { errors, names };
}

function tryRead(...body: Parameters<typeof readErrorEvent>): ReportedError | undefined {
  try {
    return readErrorEvent(...body);
  } catch (error) {
    if (error instanceof UnreadableEventError) return undefined;
    throw error;
  }
}

function valuesOf({ facts, contexts, tags }: ReportedError): (readonly [string, string])[] {
  const named = contexts.filter(({ name }) => CONTEXTS.has(name)).map(({ name, entries }) => {
    const entry = new Map(entries.shown);
    const parts = [entry.get("name") ?? entry.get("model"), entry.get("version")];
    return [name, parts.filter(Boolean).join(" ")] as const;
  });
  return [...facts.filter(([name]) => FACTS.has(name)), ...named, ...tags.shown]
    .filter(([, value]) => value !== "" && hexId(value) === null)
    .map(([name, value]) => [cut(name), cut(value)]);
}

const cut = (text: string) => text.slice(0, MAX_TEXT).trim().toWellFormed();
