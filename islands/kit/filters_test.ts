import assert from "node:assert/strict";
import { readListParameters } from "../../monitoring/inbox/query_parameters.ts";
import { choicesOf, queryOf, SHARED } from "../data/filters.ts";
import { ENVELOPE_FILTERS } from "../envelopes/EnvelopeList.tsx";
import { ERROR_FILTERS } from "../errors/ErrorList.tsx";
import { LOG_FILTERS } from "../logs/Logs.tsx";
import { TRACE_FILTERS } from "../traces/TraceList.tsx";
import { readQuery } from "./filters.tsx";

const VIEWS = {
  errors: ERROR_FILTERS,
  traces: TRACE_FILTERS,
  logs: LOG_FILTERS,
  recordings: [],
  envelopes: ENVELOPE_FILTERS,
};
const ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const TEXTS: Readonly<Record<string, string>> = {
  trace: ID,
  application: "apps",
  since: "15m",
  until: "1m",
};

Deno.test("each value of each filter → a parameter that the server reads", () => {
  for (const [view, filters] of Object.entries(VIEWS)) {
    for (const filter of [...Object.values(SHARED), ...filters]) {
      const { name } = filter;
      const values = [...choicesOf(filter).keys()];
      for (const value of values.length > 0 ? values : [TEXTS[name] ?? "text"]) {
        const query = queryOf(new URLSearchParams({ [name]: value }), filters);
        if (value === "all") assert.equal(query[name], undefined);
        else {
          const read = readListParameters(new URLSearchParams({ view, [name]: query[name]! }), 0);
          assert.notEqual(read.query[name], undefined, `${view}: ${name}`);
        }
      }
    }
  }
});

Deno.test("parameters of the address → query; unknown values and those of other lists left out", () => {
  const query = (text: string, filters = ERROR_FILTERS) => {
    const entries = Object.entries(queryOf(new URLSearchParams(text), filters));
    return entries.filter(([, value]) => value !== undefined).map((entry) => entry.join("="))
      .sort();
  };
  assert.deepEqual(query(""), ["application=apps", "state=open"]);
  assert.deepEqual(query("level=loud&op=x&state=muted"), ["application=apps", "state=muted"]);
  assert.deepEqual(query("state=all&application=all&q=a"), ["q=a"]);
  // The rows of one trace are those of every application.
  assert.deepEqual(query(`trace=${ID}`), ["state=open", `trace=${ID}`]);
  assert.deepEqual(query(`trace=${ID}&application=apps`, LOG_FILTERS), [
    "application=apps",
    `trace=${ID}`,
  ]);
});

Deno.test("text with name:value → filters of known values, and the rest to search for", () => {
  assert.deepEqual(readQuery('level:error http://host level:loud "a level:info" b', LOG_FILTERS), {
    level: "error",
    q: 'http://host level:loud "a level:info" b',
  });
});
