import assert from "node:assert/strict";
import fc from "fast-check";
import { readMessages } from "./ai_messages.ts";
import { runsOf, type StoredAiSpan, sumRows } from "./ai_runs.ts";
import { readAiSpan } from "./ai_span.ts";
import type { LogAttributes } from "../../protocol/log_levels.ts";

const read = (op: string | null, attributes: LogAttributes, name = "span") =>
  readAiSpan({ op, name, attributes });

/** What is read of the same call, by its names. */
const FACTS = {
  name: "gpt-5-mini-2026-08",
  model: "gpt-5-mini-2026-08",
  requested: "gpt-5-mini",
  input_tokens: 730,
  output_tokens: 200,
  cost: null,
  first_token_ms: 284,
  asked: "Is it in stock?",
};
const MESSAGES = JSON.stringify([{ role: "user", content: "Is it  in stock?" }]);

Deno.test("a call by its present, earlier and Vercel's names → the same facts", () => {
  const forms: readonly [string | null, LogAttributes][] = [
    ["gen_ai.chat", {
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "gpt-5-mini",
      "gen_ai.response.model": "gpt-5-mini-2026-08",
      "gen_ai.usage.input_tokens": 730,
      "gen_ai.usage.output_tokens": 200,
      "gen_ai.response.time_to_first_chunk": 0.284,
      "gen_ai.input.messages": JSON.stringify([
        { role: "user", parts: [{ type: "text", content: "Is it in stock?" }] },
      ]),
      "gen_ai.conversation.id": "k-1",
    }],
    ["gen_ai.chat", {
      "gen_ai.request.model": "gpt-5-mini",
      "gen_ai.response.model": "gpt-5-mini-2026-08",
      "gen_ai.usage.prompt_tokens": "730",
      "gen_ai.usage.completion_tokens": "200",
      "gen_ai.response.time_to_first_token": 0.284,
      "gen_ai.request.messages": MESSAGES,
      "gen_ai.conversation.id": "k-1",
    }],
    [null, {
      "ai.operationId": "ai.streamText.doStream",
      "ai.model.id": "gpt-5-mini",
      "ai.response.model": "gpt-5-mini-2026-08",
      "ai.usage.promptTokens": 730,
      "ai.usage.completionTokens": 200,
      "ai.response.msToFirstChunk": 284,
      "ai.prompt.messages": MESSAGES,
      "ai.telemetry.metadata.conversationId": "k-1",
    }],
    ["gen_ai.chat", {
      "gen_ai.request.model": "gpt-5-mini",
      "gen_ai.response.model": "gpt-5-mini-2026-08",
      "gen_ai.usage.prompt_tokens": 730,
      "gen_ai.usage.completion_tokens": 200,
      "ai.response.msToFirstChunk": 284,
      "gen_ai.prompt.0.role": "user",
      "gen_ai.prompt.0.content": "Is it in stock?",
      "gen_ai.conversation.id": "k-1",
    }],
  ];
  for (const [op, attributes] of forms) {
    assert.deepEqual(read(op, attributes), { kind: "call", ...FACTS, conversation: "k-1" });
  }
});

Deno.test("operation → agent, call, tool or step, with its name; others are no AI spans", () => {
  const nameOf = (...of: Parameters<typeof read>) => {
    const ai = read(...of);
    return ai && `${ai.kind} ${ai.name}`;
  };
  const agent = { "gen_ai.agent.name": "support" };
  assert.equal(nameOf("gen_ai.invoke_agent", agent), "agent support");
  assert.equal(nameOf("gen_ai.invoke_agent", {}, "invoke_agent triage"), "agent triage");
  assert.equal(
    nameOf(null, { "gen_ai.operation.name": "invoke_agent", ...agent }),
    "agent support",
  );
  const functionId = { "ai.telemetry.functionId": "answer", "ai.model.id": "m" };
  assert.equal(nameOf(null, { "ai.operationId": "ai.streamText", ...functionId }), "agent answer");
  assert.equal(nameOf("gen_ai.execute_tool", { "gen_ai.tool.name": "stock" }), "tool stock");
  assert.equal(nameOf("ai.toolCall", { "ai.toolCall.name": "stock" }), "tool stock");
  assert.equal(nameOf("gen_ai.embeddings", { "gen_ai.request.model": "e" }), "call e");
  assert.equal(nameOf("gen_ai.create_agent", { "gen_ai.request.model": "e" }), "step span");
  assert.equal(nameOf("ai.chat_completions.create.openai", { "ai.model_id": "m" }), "call m");
  assert.equal(nameOf("gen_ai.handoff", {}, "handoff to b"), "step handoff to b");
  assert.equal(nameOf("http.client", { "gen_ai.request.model": "m" }), null);
  assert.equal(nameOf("aims", {}), null);
});

Deno.test("cost → as sent, in all or in parts; else null", () => {
  const costOf = (attributes: LogAttributes) => read("gen_ai.chat", attributes)?.cost;
  assert.equal(costOf({ "gen_ai.cost.total_tokens": 0.5, "gen_ai.cost.input_tokens": 9 }), 0.5);
  assert.equal(costOf({ "gen_ai.cost.input_tokens": 0, "gen_ai.cost.output_tokens": 0.25 }), 0.25);
  assert.equal(costOf({ "gen_ai.cost.total_tokens": -1 }), null);
  assert.equal(costOf({ "gen_ai.usage.input_tokens": 1 }), null);
});

/** The parts of messages as "role kind name: text". */
const parts = (attributes: LogAttributes) =>
  readMessages({ attributes }).messages.flatMap(({ role, parts }) =>
    parts.map(({ kind, name, text, isCut }) =>
      `${role} ${kind} ${name ?? ""}: ${text}${isCut ? " (cut)" : ""}`
    )
  );

Deno.test("messages of OpenTelemetry, OpenAI, Anthropic and Vercel → roles, texts, calls, results", () => {
  const expected = [
    "system text : Be kind.",
    "user text : In stock?",
    'assistant call stock: {"id":1}',
    "tool result stock: 3 left",
    "assistant text : Yes.",
  ];
  const ofUser = { role: "user", content: "In stock?" };
  assert.deepEqual(
    parts({
      "gen_ai.system_instructions": '[{"type":"text","content":"Be kind."}]',
      "gen_ai.input.messages": JSON.stringify([
        { role: "user", parts: [{ type: "text", content: "In stock?" }] },
        {
          role: "assistant",
          parts: [{ type: "tool_call", name: "stock", arguments: { id: 1 } }],
        },
        {
          role: "tool",
          parts: [{ type: "tool_call_response", name: "stock", response: "3 left" }],
        },
      ]),
      "gen_ai.output.messages": JSON.stringify([
        { role: "assistant", parts: [{ type: "text", content: "Yes." }], finish_reason: "stop" },
      ]),
    }),
    expected,
  );
  assert.deepEqual(
    parts({
      "gen_ai.request.messages": JSON.stringify([
        { role: "developer", content: "Be kind." },
        ofUser,
        {
          role: "assistant",
          content: null,
          tool_calls: [{ function: { name: "stock", arguments: '{"id":1}' } }],
        },
        { role: "tool", name: "stock", content: "3 left" },
      ]),
      "gen_ai.response.text": '["Yes."]',
    }),
    expected,
  );
  assert.deepEqual(
    parts({
      "ai.prompt": JSON.stringify({
        system: "Be kind.",
        messages: [
          ofUser,
          {
            role: "assistant",
            content: [{ type: "tool-call", toolName: "stock", args: { id: 1 } }],
          },
          {
            role: "tool",
            content: [{ type: "tool-result", toolName: "stock", result: "3 left" }],
          },
        ],
      }),
      "ai.response.text": "Yes.",
    }),
    expected,
  );
  assert.deepEqual(
    parts({
      "gen_ai.prompt.0.role": "system",
      "gen_ai.prompt.0.content": "Be kind.",
      "gen_ai.prompt.1.role": "user",
      "gen_ai.prompt.1.content": "In stock?",
      "gen_ai.completion.0.content": "Yes.",
    }),
    [expected[0], expected[1], expected[4]],
  );
  const picture = JSON.stringify([{ type: "text", text: "In stock?" }]);
  const numbered = { "gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": picture };
  assert.deepEqual(parts(numbered), [expected[1]]);
  assert.equal(read("gen_ai.chat", numbered)?.asked, "In stock?");
  const asked = (of: string) => ({
    [`${of}.role`]: "assistant",
    [`${of}.tool_calls.0.name`]: "stock",
    [`${of}.tool_calls.0.arguments`]: '{"id":1}',
  });
  assert.deepEqual(
    parts({
      ...asked("gen_ai.prompt.0"),
      "gen_ai.prompt.1.role": "tool",
      "gen_ai.prompt.1.content": "7",
      ...asked("gen_ai.completion.0"),
    }),
    [expected[2], "tool result : 7", expected[2]],
  );
  const anthropic = [
    ofUser,
    { role: "assistant", content: [{ type: "tool_use", name: "stock", input: { id: 1 } }] },
    {
      role: "user",
      content: [{ type: "tool_result", content: "7" }, { type: "text", text: "So?" }],
    },
  ];
  assert.deepEqual(parts({ "gen_ai.input.messages": JSON.stringify(anthropic) }), [
    expected[1],
    expected[2],
    "tool result : 7",
    "user text : So?",
  ]);
  assert.deepEqual(parts({ "gen_ai.tool.name": "stock", "gen_ai.tool.input": '{"id":1}' }), [
    'assistant call stock: {"id":1}',
  ]);
});

Deno.test("question as text, as of OpenAI's Responses API → that text; JSON that is cut → none", () => {
  const askedOf = (sent: string) => read("gen_ai.chat", { "gen_ai.input.messages": sent })?.asked;
  assert.equal(askedOf("How many\nclocks?"), "How many clocks?");
  assert.equal(askedOf('[{"role":"user","content":"How'), null);
});

Deno.test("texts that were embedded → those of one call, as Vercel's AI SDK sends them", () => {
  assert.deepEqual(parts({ "ai.value": '"a lamp"' }), ["user text : a lamp"]);
  const values = JSON.stringify(['"a lamp"', '"b"']);
  assert.deepEqual(parts({ "ai.values": values }), ['user text : "a lamp"', 'user text : "b"']);
});

Deno.test("messages in events of a span → read as its attributes", () => {
  const event = {
    name: "gen_ai.content.prompt",
    at_ms: 1,
    attributes: { "gen_ai.prompt": "In stock?" },
  };
  const { messages } = readMessages({ attributes: {}, events: [event] });
  assert.equal(messages[0]?.parts[0]?.text, "In stock?");
});

Deno.test("messages in events of OpenTelemetry's earlier convention → in their order", () => {
  const event = (name: string, attributes: LogAttributes) => ({ name, at_ms: 1, attributes });
  const shown = (...events: ReturnType<typeof event>[]) =>
    readMessages({ attributes: {}, events }).messages.flatMap(({ role, parts }) =>
      parts.map(({ kind, name, text }) => [role, kind, name, text].filter(Boolean).join(" "))
    );
  const call = { id: "1", type: "function", function: { name: "stock", arguments: '{"id":1}' } };
  const expected = [
    ...["system text Be kind.", "user text In stock?", 'assistant call stock {"id":1}'],
    ...["tool result 7", "assistant text Seven."],
  ];
  const content = (value: object) => ({ "gen_ai.event.content": JSON.stringify(value) });
  // As Azure's SDK sends them, and the bodies of log records.
  const azure = [
    event("gen_ai.system.message", content({ role: "system", content: "Be kind." })),
    event("gen_ai.user.message", content({ content: "In stock?" })),
    event("gen_ai.assistant.message", content({ role: "assistant", tool_calls: [call] })),
    event("gen_ai.tool.message", content({ id: "1", content: "7" })),
    event("gen_ai.choice", content({ index: 0, message: { content: "Seven." } })),
  ];
  assert.deepEqual(shown(...azure), expected);
  // As attributes.
  assert.deepEqual(
    shown(
      event("gen_ai.system.message", { content: "Be kind." }),
      event("gen_ai.user.message", { role: "user", content: '[{"text":"In stock?"}]' }),
      event("gen_ai.assistant.message", { tool_calls: JSON.stringify([call]) }),
      event("gen_ai.tool.message", { content: "7", id: "1" }),
      event("gen_ai.choice", { finish_reason: "stop", message: '[{"text":"Seven."}]' }),
    ),
    expected,
  );
  // JSON that is no message, as it was sent.
  const json = '{"left": 3.50}';
  assert.deepEqual(
    shown(
      event("gen_ai.tool.message", { content: json }),
      event("gen_ai.choice", { message: json }),
    ),
    [`tool result ${json}`, `assistant text ${json}`],
  );
  // Instrumentations that are not to capture contents.
  assert.deepEqual(
    shown(
      event("gen_ai.user.message", { "gen_ai.system": "openai" }),
      event("gen_ai.user.message", content({ role: "user" })),
      event("gen_ai.choice", content({ index: 0, message: { role: "assistant" } })),
    ),
    [],
  );
  const attributes = { "gen_ai.operation.name": "chat" };
  assert.equal(readAiSpan({ op: null, name: "", attributes, events: azure })?.asked, "In stock?");
  const input = { "gen_ai.input.messages": "Again?" };
  const { messages } = readMessages({ attributes: input, events: azure });
  assert.deepEqual(messages.map(({ role }) => role), ["user", "assistant"]);
});

Deno.test("JSON of a tool or an answer with keys of messages → whole, as it was sent", () => {
  for (
    const sent of [
      '{"path":"a.ts", "content":"x"}',
      '{"prompt":"A clock","size":2}',
      '{"role":"user"}',
      '[{"title":"A","text":"B"}]',
      "[1,2]",
    ]
  ) {
    const tool = { "gen_ai.tool.name": "t", "gen_ai.tool.call.arguments": sent };
    assert.deepEqual(parts(tool), [`assistant call t: ${sent}`]);
    assert.deepEqual(parts({ "gen_ai.tool.call.result": sent }), [`tool result : ${sent}`]);
  }
  const result = '{"type":"tool-result","output":{"left":3},"dynamic":false}';
  assert.deepEqual(parts({ "gen_ai.tool.call.result": result }), ['tool result : {"left":3}']);
  for (const answer of ['{"summary":"Short","stars":4}', '{"messages":["a"],"tone":"kind"}']) {
    assert.deepEqual(parts({ "ai.response.object": answer }), [`assistant raw : ${answer}`]);
  }
});

Deno.test("messages that are cut, or no JSON → as text, and whether they are cut", () => {
  const sent = '[{"role":"user","content":"In st';
  assert.deepEqual(parts({ "gen_ai.input.messages": sent }), [`user raw : ${sent} (cut)`]);
  for (const text of ["In stock…", "[The docs](https://shop.test) have it.", "{name}?"]) {
    assert.deepEqual(parts({ "gen_ai.prompt": text }), [`user text : ${text}`]);
  }
  assert.deepEqual(parts({ "gen_ai.prompt": "{}" }), ["user raw : {}"]);
  const isShortened = (attributes: LogAttributes) => readMessages({ attributes }).isShortened;
  assert.equal(isShortened({ "gen_ai.prompt": `${"x".repeat(99_999)}…` }), true);
  const numbered = [0, 1].map((n) => [`gen_ai.prompt.${n}.content`, "x".repeat(60_000)]);
  assert.equal(isShortened(Object.fromEntries(numbered)), false);
});

Deno.test("any attributes → nothing throws, and every text of the index is bounded", () => {
  const names = [
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "ai.prompt",
    "gen_ai.agent.name",
  ]
    .concat("gen_ai.response.tool_calls", "gen_ai.usage.input_tokens", "gen_ai.tool.input");
  const value = fc.oneof(fc.string(), fc.double(), fc.json(), fc.constant("[".repeat(50_000)));
  const inEvent = fc.dictionary(
    fc.constantFrom("gen_ai.event.content", "message", "content", "tool_calls", "role"),
    value,
  );
  const event = fc.constantFrom("gen_ai.choice", "gen_ai.user.message", "gen_ai.tool.message");
  fc.assert(fc.property(fc.dictionary(fc.constantFrom(...names), value), inEvent, event, (
    attributes,
    inEvent,
    name,
  ) => {
    const sent = { op: null, name, attributes, events: [{ name, at_ms: 1, attributes: inEvent }] };
    readMessages(sent);
    readAiSpan(sent);
    const ai = read("gen_ai.invoke_agent", attributes)!;
    assert.ok(JSON.stringify(ai).length < 5_000);
  }));
});

Deno.test("any tree of AI spans, circles too → each in one run, no value counted twice", () => {
  const tree = fc.array(
    fc.record({
      parent: fc.nat(12),
      tokens: fc.option(fc.nat(9)),
      application: fc.constantFrom("a", "b"),
    }),
    { maxLength: 12 },
  );
  fc.assert(fc.property(tree, fc.boolean(), (sent, hasCircles) => {
    const spans = sent.map(({ parent, tokens, application }, key): StoredAiSpan => ({
      ...{ key, trace_id: "t", span_id: `${key}`, application, release: null },
      ...{ at: key, duration: 1, failed: false, matches: true },
      above: hasCircles || parent < key ? [`${parent}`] : [],
      ai: { ...read("gen_ai.execute_tool", {})!, input_tokens: tokens },
    }));
    const rows = runsOf(spans, {}).map(({ row }) => row());
    const counted = rows.reduce((sum, { input_tokens }) => sum + (input_tokens ?? 0), 0);
    assert.equal(sumRows(rows)[0]?.input_tokens ?? 0, counted);
    assert.equal(rows.reduce((sum, { tools }) => sum + tools, 0), spans.length);
    if (hasCircles) return;
    const repeated = new Set<StoredAiSpan>();
    for (const span of spans.filter(({ ai }) => ai.input_tokens !== null)) {
      let parent = spans[Number(span.above[0])];
      while (parent?.application === span.application) {
        repeated.add(parent);
        parent = spans[Number(parent.above[0])];
      }
    }
    const expected = spans.filter((span) => !repeated.has(span))
      .reduce((sum, { ai }) => sum + (ai.input_tokens ?? 0), 0);
    assert.equal(counted, expected);
  }));
});
