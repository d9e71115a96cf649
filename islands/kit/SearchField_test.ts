import assert from "node:assert/strict";
import { readListParameters } from "../../monitoring/inbox/query_parameters.ts";
import { filtersOf, LIST_FILTERS, type ListName } from "../../monitoring/models/list_query.ts";
import { choicesOf, pageFilters, queryOf } from "../data/filters.ts";
import { SHARED_PARAMS } from "../data/view.ts";
import { readQuery } from "./SearchField.tsx";

const LISTS = ["errors", "traces", "logs", "recordings", "envelopes", "pages"] as const;
const ID = "4bf92f3577b34da6a3ce929d0e0e4736";
/** A value by its kind; default: any text. */
const TEXTS: Readonly<Record<string, string>> = {
  id: ID,
  group: ID.slice(0, 14),
  application: "apps",
  number: "1",
  time: "15m",
};

Deno.test("filters of all lists → in the links between all views", () => {
  assert.deepEqual(filtersOf().toSorted(), SHARED_PARAMS.toSorted());
});

Deno.test("each filter of some lists → has values or what is known to choose from", () => {
  for (const list of LISTS) {
    const own = pageFilters(list).filter(({ name }) => !filtersOf().includes(name));
    for (const { name, choices, known } of own) {
      assert.ok(choices ?? known, `${name} in WORDS of islands/data/filters.ts`);
    }
  }
});

Deno.test("each value of each filter → a parameter that the server reads", () => {
  for (const list of LISTS) {
    for (const filter of pageFilters(list)) {
      const { name } = filter;
      const values = [...choicesOf(filter).keys()];
      for (
        const value of values.length > 0
          ? values
          : [TEXTS[`${LIST_FILTERS[name].values}`] ?? "text"]
      ) {
        const query = queryOf(new URLSearchParams({ [name]: value }), list);
        if (value === "all") assert.equal(query[name], undefined);
        else {
          const parameters = new URLSearchParams({ view: list, [name]: `${query[name]}` });
          assert.notEqual(readListParameters(parameters, 0).query[name], undefined, name);
        }
      }
    }
  }
});

Deno.test("parameters of the address → query; unknown values and those of other lists left out", () => {
  const query = (text: string, list: ListName = "errors") => {
    const entries = Object.entries(queryOf(new URLSearchParams(text), list));
    return entries.filter(([, value]) => value !== undefined).map((entry) => entry.join("="))
      .sort();
  };
  assert.deepEqual(query(""), ["application=apps", "state=open"]);
  assert.deepEqual(query("level=loud&page=x&state=muted"), ["application=apps", "state=muted"]);
  assert.deepEqual(query("state=all&application=all&q=a"), ["q=a"]);
  // The rows of one trace are those of every application.
  assert.deepEqual(query(`trace=${ID}`), ["state=open", `trace=${ID}`]);
  assert.deepEqual(query(`trace=${ID}&application=apps`, "logs"), [
    "application=apps",
    `trace=${ID}`,
  ]);
});

Deno.test("text with name:value → filters of known values, and the rest to search for", () => {
  assert.deepEqual(
    readQuery('level:error http://host level:loud "a level:info" b', pageFilters("logs")),
    {
      level: "error",
      q: 'http://host level:loud "a level:info" b',
    },
  );
});
