import assert from "node:assert/strict";
import { errorTitle } from "../../models/error/error_entry.ts";
import type { Attributes } from "./envelopes.ts";
import type { AddTest } from "./tested_index.ts";

/** An error as the SDK for browsers sends it. */
const browser = (value: string, others: Attributes = {}): Attributes => ({
  platform: "javascript",
  exception: {
    values: [{
      type: "Error",
      value,
      mechanism: { type: "auto.browser.global_handlers.onunhandledrejection", handled: false },
    }],
  },
  ...others,
});

/** A log call with parameters as the SDK for Python sends it. */
const python = (message: string, formatted: string): Attributes => ({
  platform: "python",
  level: "error",
  logger: "shop.payments",
  logentry: { message, formatted, params: [] },
});

const answered = (route: string, status: number) => browser(`${route} answered ${status}`);
const paid = { fingerprint: ["payments", "card"] };
const LONG = "and so on ".repeat(60);

/** Errors in the order of arrival, and the titles of their groups, newest first. */
const TITLES: readonly (readonly [what: string, events: Attributes[], titles: string[]])[] = [
  [
    "routes and statuses",
    [
      answered("POST /api/assistant", 500),
      answered("POST /api/checkout", 500),
      answered("POST /api/assistant", 503),
      answered("POST /api/checkout", 500),
    ],
    ["Error: POST /api/checkout answered 500", "Error: POST /api/assistant answered …"],
  ],
  [
    "ids in a route, hosts and queries",
    [
      answered("GET https://a.test/api/orders/17/items?page=2", 500),
      answered("GET https://b.test/api/orders/9/items", 500),
    ],
    ["Error: GET …/api/orders/…/items answered 500"],
  ],
  [
    "the same quoted value, then others",
    [
      browser("Cannot read properties of undefined (reading 'price')"),
      browser("Cannot read properties of undefined (reading 'price')"),
      browser("Order 17 of 'ann b' failed"),
      browser("Order 17 of 'bob' failed"),
    ],
    [
      "Error: Order 17 of … failed",
      "Error: Cannot read properties of undefined (reading 'price')",
    ],
  ],
  [
    "parameters of a template that are words",
    [
      python("Card of %s declined", "Card of Ann Lee declined"),
      python("Card of %s declined", "Card of Bob declined"),
      python("Order %s failed", "Order 5 failed"),
    ],
    ["Message: Order 5 failed", "Message: Card of %s declined"],
  ],
  [
    "a fingerprint of different messages, and types",
    [
      browser("declined", paid),
      browser("no funds", paid),
      browser("a", { fingerprint: ["all"] }),
      { ...python("b", "b"), fingerprint: ["all"] },
    ],
    ["all", "Error: payments card"],
  ],
  [
    "messages that differ after 500 characters",
    [browser(`${LONG}ann`), browser(`${LONG}bob`)],
    [`Error: ${LONG.slice(0, 500)}…`],
  ],
];

/** The row of the one group of some errors: level and mechanism's `handled` of each. */
const BADGES: readonly (readonly [
  string,
  (readonly [string, boolean?])[],
  (readonly [string, boolean | null, number]),
])[] = [
  ["one in two is unhandled, not the newest", [["error", false], ["warning", true]], [
    "error",
    false,
    1,
  ]],
  ["all are handled", [["log", true], ["log", true]], ["log", true, 0]],
  ["one is not known to be handled", [["fatal"], ["info", true]], ["fatal", null, 0]],
];

/** Groups of errors. */
export function addGroupTests(test: AddTest): void {
  for (const [what, events, expected] of BADGES) {
    test(`${what} → level and count of unhandled errors are the group's`, async (inbox, add) => {
      for (const [level, handled] of events) {
        const values = [
          { type: "E", value: "cause", mechanism: { type: "chained", handled: true } },
          { type: "Error", value: "a", mechanism: { type: "generic", handled } },
        ];
        await add(["event", { level, exception: { values } }]);
      }
      const [row] = inbox.page("errors", {}).rows;
      assert.deepEqual([row?.level, row?.handled, row?.unhandled], expected);
      assert.equal(inbox.page("errors", { handled: false }).rows[0]?.count ?? 0, expected[2]);
    });
  }
  for (const [what, events, titles] of TITLES) {
    test(`${what} → the title has what all errors share`, async (inbox, add) => {
      for (const event of events) await add(["event", event]);
      assert.deepEqual(inbox.page("errors", {}).rows.map(errorTitle), titles);
    });
  }
}
