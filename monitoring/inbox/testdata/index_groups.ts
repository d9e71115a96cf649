import assert from "node:assert/strict";
import { errorTitle } from "../../models/error/error_entry.ts";
import { eventOfException } from "../../models/otlp/otlp_exception.ts";
import { type Attributes, hexId, type TestItem } from "./envelopes.ts";
import { type AddTest, NOON } from "./tested_index.ts";

/** An error as the SDKs for JavaScript send it. */
const thrown = (value: string, mechanism?: Attributes, rest: Attributes = {}): Attributes => ({
  exception: { values: [{ type: "Error", value, ...mechanism && { mechanism } }] },
  ...rest,
});
/** A call of a logger with parameters, as the SDK for Python sends it. */
const logged = (message: string, formatted: string, rest: Attributes = {}): Attributes => ({
  logentry: { message, formatted, params: [] },
  ...rest,
});
const LONG = "and so on ".repeat(60);

/** Errors in the order of arrival, and the titles of their groups, newest first. */
const TITLES: readonly (readonly [errors: Attributes[], titles: string[]])[] = [
  [
    ["POST /api/assistant answered 500", "POST /a answered 500", "POST /api/assistant answered 503"]
      .map((value) => thrown(value)),
    ["Error: POST /api/assistant answered …", "Error: POST /a answered 500"],
  ],
  [
    [
      thrown("GET https://a.test/orders/17/b?page=2 failed"),
      thrown("GET http://b/orders/9/b failed"),
    ],
    ["Error: GET …/orders/…/b failed"],
  ],
  [
    ["reading 'price' of 5", "reading 'price' of 6", "a@b.test: 'x y'", "c@d.test: 'z'"]
      .map((value) => thrown(value)),
    ["Error: …: …", "Error: reading 'price' of …"],
  ],
  [
    [
      logged("Card of %s", "Card of Ann Lee"),
      logged("Card of %s", "Card of Bob"),
      logged("%s", "5"),
    ],
    ["Message: 5", "Message: Card of %s"],
  ],
  [
    [
      thrown("declined", undefined, { fingerprint: ["payments", 5] }),
      thrown("no funds", undefined, { fingerprint: ["payments", 5] }),
      thrown("a", undefined, { fingerprint: ["all"] }),
      logged("b", "b", { fingerprint: ["all"] }),
      thrown("no funds", undefined, { fingerprint: ["any"] }),
      logged("no funds", "no funds", { fingerprint: ["any"] }),
    ],
    ["…: no funds", "…: fingerprint all", "Error: fingerprint payments 5"],
  ],
  [[thrown(`${LONG}ann`), thrown(`${LONG}bob`)], [`Error: ${LONG.slice(0, 500)}…`]],
];

/** Level and mechanism's `handled` of errors, and those of their group. */
const BADGES: readonly (readonly [(readonly [string, boolean?])[], unknown[]])[] = [
  [[["error", false], ["warning", true]], ["error", false, 1]],
  [[["log", true], ["log", true]], ["log", true, 0]],
  [[["fatal"], ["info", true]], ["fatal", null, 0]],
];

/** Groups of errors. */
export function addGroupTests(test: AddTest): void {
  test("group → the title has what all errors share", async (inbox, add) => {
    for (const [errors, titles] of TITLES) {
      for (const error of errors) await add(["event", error]);
      assert.deepEqual(inbox.page("errors", {}).rows.map(errorTitle), titles);
      await inbox.clear();
    }
  });

  test(
    "OpenTelemetry's exception of a span and as a log, within a second → one error",
    async (inbox, add, addOf) => {
      const [trace_id, span_id] = [hexId(1), "a".repeat(16)];
      const at = (seconds: number, trace: string | null = trace_id): TestItem => ["event", {
        ...eventOfException({
          attributes: { "exception.type": "E", "exception.message": "no stock" },
          resource: {},
          timestamp: NOON / 1_000 + seconds,
          level: "error",
          trace_id: trace,
          span_id,
        }),
      }];
      const sdk = { name: "opentelemetry.java" };
      await addOf({ sdk }, at(0), at(2));
      await addOf({ sdk }, at(0.9), at(4), ["log", { items: [{ body: "m", trace_id }] }]);
      const counts = () => [
        inbox.page("errors", {}).rows[0]?.count,
        inbox.page("traces", {}).rows[0]?.errors,
      ];
      assert.deepEqual(counts(), [3, 3]);
      // Without a trace they may be of two requests; Sentry's SDKs send each error once.
      for (const _ of [1, 2]) await addOf({ sdk }, at(6, null));
      await add(at(0));
      assert.deepEqual(counts(), [6, 4]);
    },
  );

  test(
    "group → the most severe level, and how many say that they are unhandled",
    async (inbox, add) => {
      for (const [errors, expected] of BADGES) {
        for (const [level, handled] of errors) {
          const event = thrown("a", { type: "auto.http.fastify", handled }, { level });
          // SDKs write `handled` for every cause.
          const cause = { type: "E", value: "b", mechanism: { type: "chained", handled: true } };
          event.exception = {
            values: [cause, ...(event.exception as { values: unknown[] }).values],
          };
          await add(["event", event]);
        }
        const [row] = inbox.page("errors", {}).rows;
        assert.deepEqual([row?.level, row?.handled, row?.unhandled], expected);
        await inbox.clear();
      }
    },
  );
}
