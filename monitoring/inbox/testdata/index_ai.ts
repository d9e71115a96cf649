import assert from "node:assert/strict";
import { type Attributes, hexId, span, type TestItem } from "./envelopes.ts";
import { readMessages } from "../../models/ai/ai_messages.ts";
import type { ListQuery } from "../../models/list_query.ts";
import { readTrace } from "../../models/trace/trace.ts";
import { ids } from "./inbox_suite.ts";
import { type AddTest, NOON, shop } from "./tested_index.ts";

const START = NOON / 1_000 - 60;

/** An AI span of trace `trace` from `from` to `to` seconds after its start. Attributes without `gen_ai.` */
function aiSpan(
  trace: number,
  [id, parent]: readonly [string, string?],
  [from, to]: readonly [number, number],
  { op, status = "ok", ...attributes }: Attributes,
): TestItem {
  return span(trace, {
    span_id: id,
    parent_span_id: parent,
    op,
    name: `${op}`,
    status,
    start_timestamp: START + from,
    end_timestamp: START + to,
    attributes: Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [`gen_ai.${name}`, { value }]),
    ),
  });
}

const AGENT = { op: "gen_ai.invoke_agent", "agent.name": "support" };
const CHAT = { op: "gen_ai.chat", "request.model": "gpt-5-mini" };
const messages = JSON.stringify([{ role: "user", content: "Is the lamp dimmable?" }]);

/** The lists of AI runs and of their sums. */
export function addAiTests(test: AddTest): void {
  test(
    "messages in log records, as of OpenTelemetry's Python instrumentations → those of their span",
    async (inbox, add) => {
      const [call, other] = ["c".repeat(16), "d".repeat(16)];
      const logs = (...records: (readonly [span: string, name: string, body: unknown])[]) =>
        add(["log", {
          items: records.map(([span_id, name, body], n) => ({
            ...{ trace_id: hexId(1), span_id, timestamp: START + n, body },
            attributes: { "event.name": { value: name }, "gen_ai.system": { value: "openai" } },
          })),
        }]);
      const long = "Is the lamp dimmable? ".repeat(1_000).trim();
      await logs(
        [call, "gen_ai.system.message", { content: "Be kind." }],
        [call, "gen_ai.user.message", { content: long }],
        [other, "gen_ai.user.message", { content: "Of another call." }],
        [call, "gen_ai.choice", { index: 0, message: { role: "assistant", content: "Yes." } }],
        [call, "shop.audit", { content: "No message." }],
        // Its body was not captured: the log has its name.
        [call, "gen_ai.user.message", "gen_ai.user.message"],
      );
      await add(aiSpan(1, [call], [0, 1], CHAT));
      const { tree, marks } = readTrace(inbox.trace(hexId(1)));
      const shown = readMessages(tree.nodes[0]!.span!).messages
        .map(({ role, parts }) => `${role}: ${parts.map(({ text }) => text).join()}`);
      assert.deepEqual(shown, ["system: Be kind.", `user: ${long}`, "assistant: Yes."]);
      assert.ok(marks.every(({ text }) => text.length <= 2_000));
      assert.ok(inbox.page("logs", {}).rows.every(({ body }) => body.length <= 2_000));
    },
  );

  test(
    "messages in a log's attributes → those of its span; cut in the list",
    async (inbox, add) => {
      const text = "Is the lamp dimmable? ".repeat(1_000).trim();
      const part = (
        role: string,
        content: string,
      ) => [{ role, parts: [{ type: "text", content }] }];
      const attributes = {
        "event.name": "gen_ai.client.inference.operation.details",
        "gen_ai.system_instructions": [{ type: "text", content: "Be kind." }],
        "gen_ai.input.messages": part("user", text),
        "gen_ai.output.messages": part("assistant", "Yes."),
      };
      const span_id = "c".repeat(16);
      await add(["log", {
        items: [{ trace_id: hexId(1), span_id, timestamp: START, attributes }],
      }]);
      await add(aiSpan(1, [span_id], [0, 1], CHAT));
      const { messages } = readMessages(readTrace(inbox.trace(hexId(1))).tree.nodes[0]!.span!);
      assert.deepEqual(messages.map(({ parts }) => parts[0]!.text), ["Be kind.", text, "Yes."]);
      const [row] = inbox.page("logs", {}).rows;
      assert.ok(row && !("messages" in row) && JSON.stringify(row).length < 5_000);
    },
  );

  test("AI spans in any order → runs, whose tokens are added once", async (inbox, add, addOf) => {
    // SDKs send what has ended first.
    await addOf(
      shop("1"),
      aiSpan(1, ["c1", "f"], [1, 2], {
        ...CHAT,
        "usage.input_tokens": 400,
        "usage.output_tokens": 60,
        "response.time_to_first_token": 0.25,
        "input.messages": messages,
        "cost.total_tokens": 0.5,
      }),
      aiSpan(1, ["t", "a"], [2, 4], {
        op: "gen_ai.execute_tool",
        status: "error",
        "tool.name": "stock",
      }),
    );
    await addOf(
      shop("1"),
      span(1, { span_id: "f", parent_span_id: "a", op: "function" }),
      aiSpan(1, ["c2", "a"], [4, 5], { ...CHAT, "usage.input_tokens": 700 }),
      span(1, { span_id: "r", op: "http.server" }),
      aiSpan(1, ["a", "r"], [0.5, 5], {
        ...AGENT,
        "usage.input_tokens": 1_100,
        "usage.output_tokens": 60,
        "conversation.id": "k-1",
      }),
    );
    await add(aiSpan(2, ["c3"], [10, 11], CHAT));
    const { rows, next } = inbox.page("ai_runs", {});
    assert.equal(next, null);
    assert.deepEqual(rows.map(({ trace_id, name }) => [trace_id, name]), [
      [hexId(2), "gpt-5-mini"],
      [hexId(1), "support"],
    ]);
    const { application, ...run } = rows[1]!;
    const tokens = { input_tokens: 1_100, output_tokens: 60, cost: 0.5 };
    assert.deepEqual(run, {
      ...{ trace_id: hexId(1), span_id: "a", release: "shop@1", kind: "agent", name: "support" },
      ...{ started_at: NOON - 59_500, duration: 4_500, failed: true },
      ...{ calls: 2, tools: 1, failed_calls: 0, failed_tools: 1, first_token_ms: 750, ...tokens },
      ...{ asked: "Is the lamp dimmable?", conversation: "k-1" },
      models: [{ model: "gpt-5-mini", calls: 2, ...tokens, failed: false }],
    });

    const found = (query: ListQuery) => inbox.page("ai_runs", query).rows.map(({ name }) => name);
    assert.deepEqual(found({ status: "error" }), ["support"]);
    assert.deepEqual(found({ status: "ok" }), ["gpt-5-mini"]);
    assert.deepEqual(found({ name: "support" }), ["support"]);
    assert.deepEqual(found({ model: "gpt-5-mini", conversation: "k-1" }), ["support"]);
    assert.deepEqual(found({ model: "gpt-5" }), []);
    assert.deepEqual(found({ q: "dimmable name:support -name:none" }), ["support"]);
    assert.deepEqual(found({ q: "duration:>4s" }), ["support"]);
    assert.deepEqual(found({ since: NOON - 55_000 }), ["gpt-5-mini"]);
    assert.deepEqual(found({ release: "shop@1", application }), ["support"]);
    assert.deepEqual(found({ trace: hexId(2) }), ["gpt-5-mini"]);
    // Of its topmost span.
    assert.deepEqual(found({ envelope: ids(inbox)[0] }), []);
    assert.deepEqual(found({ envelope: ids(inbox)[1] }), ["support"]);
    assert.deepEqual(found({ sort: "-input_tokens" }), ["support"]);
    const first = inbox.page("ai_runs", { limit: 1, sort: "duration" });
    assert.deepEqual(found({ limit: 1, sort: "duration", before: first.next! }), ["support"]);

    const sums = inbox.page("ai_sums", {}).rows;
    assert.deepEqual(sums.map(({ by, value, runs }) => [by, value, runs]), [
      ["all", "", 2],
      ["agent", "support", 1],
      ["model", "gpt-5-mini", 2],
      ["conversation", "k-1", 1],
    ]);
    assert.deepEqual(sums[2], {
      ...{ by: "model", value: "gpt-5-mini", runs: 2, failed: 0, calls: 3, ...tokens },
      runs_with_cost: 1,
    }, "a tool failed, no call of the model");
    await add(aiSpan(3, ["d"], [12, 13], { ...CHAT, status: "error" }));
    const failed = inbox.page("ai_sums", {}).rows.map(({ by, failed }) => [by, failed]);
    assert.deepEqual(failed.slice(0, 3), [["all", 2], ["agent", 1], ["model", 1]]);
  });

  test(
    "call in another application → its own run; failed agent in one → it failed",
    async (inbox, add, addOf) => {
      await addOf(shop("1"), aiSpan(1, ["a"], [0, 3], AGENT), aiSpan(1, ["t", "a"], [1, 2], CHAT));
      await add(aiSpan(1, ["c", "t"], [1, 2], CHAT));
      const runs = () => inbox.page("ai_runs", {}).rows.map(({ name, calls }) => [name, calls]);
      assert.deepEqual(runs(), [["gpt-5-mini", 1], ["support", 1]]);
      await addOf(
        shop("1"),
        aiSpan(2, ["b", "a"], [1, 2], { ...AGENT, status: "error" }),
        aiSpan(2, ["a"], [0, 3], AGENT),
      );
      const failed = inbox.page("ai_runs", { status: "error" }).rows;
      assert.deepEqual(failed.map(({ trace_id }) => trace_id), [hexId(2)]);
      await inbox.clear();
      assert.deepEqual(runs(), []);
    },
  );
}
