/** AI spans as senders send them: by Sentry's SDK with OpenAI's client and Vercel's AI SDK, and by OpenTelemetry. */
import assert from "node:assert/strict";
import { addVercelAiProcessors, createTransport, instrumentOpenAiClient } from "@sentry/core";
import * as Sentry from "@sentry/deno";
import { readMessages } from "../models/ai/ai_messages.ts";
import { Inbox } from "./inbox.ts";
import { admitted } from "./testdata/envelopes.ts";

/** Answers as OpenAI's API, first with a call of a tool. */
const openAi = () => {
  const answers = [
    {
      message: { content: null, tool_calls: [{ function: { name: "stock", arguments: "{}" } }] },
      finish_reason: "tool_calls",
    },
    { message: { content: "Yes, 3 left." }, finish_reason: "stop" },
  ];
  const usage = { prompt_tokens: 420, completion_tokens: 60, total_tokens: 480 };
  const create = (_: object) =>
    Promise.resolve({
      ...{ id: "r", object: "chat.completion", created: 1, model: "gpt-5-mini-2026-08", usage },
      choices: [answers.shift()],
    });
  return { chat: { completions: { create } } };
};

const MESSAGES = [
  { role: "system", content: "Be kind." },
  { role: "user", content: "Is the lamp in stock?" },
];

async function callOpenAi() {
  const client = instrumentOpenAiClient(openAi(), { recordInputs: true, recordOutputs: true });
  const attributes = {
    "gen_ai.agent.name": "support",
    "gen_ai.usage.input_tokens": 840,
    "gen_ai.conversation.id": "k-1",
  };
  await Sentry.startSpan(
    { name: "POST /ask", op: "http.server" },
    () =>
      Sentry.startSpan(
        { name: "invoke_agent support", op: "gen_ai.invoke_agent", attributes },
        async () => {
          const request = { model: "gpt-5-mini", messages: MESSAGES };
          await client.chat.completions.create(request);
          const tool = { "gen_ai.tool.name": "stock", "gen_ai.tool.input": "{}" };
          const options = {
            name: "execute_tool stock",
            op: "gen_ai.execute_tool",
            attributes: tool,
          };
          Sentry.startSpan(
            options,
            (span) => span.setStatus({ code: 2, message: "internal_error" }),
          );
          await client.chat.completions.create(request);
        },
      ),
  );
}

/** Spans with the names and attributes of Vercel's AI SDK 5. */
function callVercel() {
  const model = { "ai.model.id": "gpt-5-mini", "operation.name": "ai.generateText support" };
  const usage = { "ai.usage.inputTokens": 420, "ai.usage.outputTokens": 60 };
  const prompt = JSON.stringify({ system: "Be kind.", prompt: "Is the lamp in stock?" });
  const call = {
    ...model,
    ...usage,
    "ai.operationId": "ai.generateText.doGenerate",
    "ai.prompt.messages": JSON.stringify(MESSAGES),
    "ai.response.text": "Yes, 3 left.",
    "gen_ai.response.model": "gpt-5-mini-2026-08",
    "ai.response.finishReason": "stop",
  };
  const agent = {
    ...{ ...model, ...usage, "ai.operationId": "ai.generateText", "ai.prompt": prompt },
    "ai.telemetry.functionId": "support",
  };
  const tool = { "ai.toolCall.name": "stock", "ai.toolCall.id": "1", "ai.toolCall.args": "{}" };
  Sentry.startSpan(
    { name: "POST /ask" },
    () =>
      Sentry.startSpan({ name: "ai.generateText", attributes: agent }, () => {
        Sentry.startSpan({ name: "ai.toolCall", attributes: tool }, () => {});
        Sentry.startSpan({ name: "ai.generateText.doGenerate", attributes: call }, () => {});
      }),
  );
}

Deno.test("Sentry's SDK with OpenAI and with Vercel's AI SDK → runs with tokens once, messages", async () => {
  const sent: Uint8Array[] = [];
  const client = Sentry.init({
    dsn: "https://inbox@sightglass.invalid/1",
    tracesSampleRate: 1,
    defaultIntegrations: false,
    transport: (options) =>
      createTransport(options, ({ body }) => {
        sent.push(typeof body === "string" ? new TextEncoder().encode(body) : body);
        return Promise.resolve({ statusCode: 200 });
      }),
  })!;
  addVercelAiProcessors(client);
  await callOpenAi();
  callVercel();
  await Sentry.close(2_000);
  const inbox = new Inbox({ maxBytes: 2 ** 20 });
  try {
    for (const bytes of sent) await inbox.store(admitted(bytes, Date.now()));
    const { rows } = inbox.page("ai_runs", {});
    const facts = rows.map((
      { name, asked, calls, tools, failed_tools, input_tokens, output_tokens },
    ) => [
      ...[name, asked, calls, tools, failed_tools, input_tokens, output_tokens],
    ]);
    assert.deepEqual(facts.toSorted((a, b) => Number(a[2]) - Number(b[2])), [
      ["support", "Is the lamp in stock?", 1, 1, 0, 420, 60],
      ["support", "Is the lamp in stock?", 2, 1, 1, 840, 120],
    ]);
    for (const { trace_id, models } of rows) {
      assert.deepEqual(models.map(({ model }) => model), ["gpt-5-mini-2026-08"]);
      const texts = inbox.trace(trace_id).spans.flatMap((span) =>
        readMessages(span).messages.map(({ role, parts }) => `${role}: ${parts[0]!.text}`)
      );
      for (
        const text of ["system: Be kind.", "user: Is the lamp in stock?", "assistant: Yes, 3 left."]
      ) {
        assert.ok(texts.includes(text), `${text} in ${texts.join("; ")}`);
      }
    }
  } finally {
    inbox.close();
  }
});

Deno.test("OpenTelemetry's GenAI spans by OTLP, messages as structures or JSON → a run with its messages", async () => {
  const text = (stringValue: string) => ({ stringValue });
  const fields = (of: Record<string, object>) => ({
    kvlistValue: { values: Object.entries(of).map(([key, value]) => ({ key, value })) },
  });
  const part = fields({ type: text("text"), content: text("Is the lamp in stock?") });
  const message = fields({ role: text("user"), parts: { arrayValue: { values: [part] } } });
  const answer = [{ role: "assistant", parts: [{ type: "text", content: "Yes, 3 left." }] }];
  const attributes = {
    "gen_ai.operation.name": text("chat"),
    "gen_ai.provider.name": text("openai"),
    "gen_ai.request.model": text("gpt-5-mini"),
    "gen_ai.usage.input_tokens": { intValue: "420" },
    "gen_ai.input.messages": { arrayValue: { values: [message] } },
    "gen_ai.output.messages": text(JSON.stringify(answer)),
  };
  const span = {
    ...{ traceId: "a".repeat(32), spanId: "b".repeat(16), name: "chat gpt-5-mini", kind: 3 },
    startTimeUnixNano: `${Date.now() - 1_000}000000`,
    endTimeUnixNano: `${Date.now()}000000`,
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value })),
  };
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
  const inbox = new Inbox({ maxBytes: 2 ** 20 });
  try {
    await inbox.store({
      bytes: new TextEncoder().encode(body),
      ...{
        contentEncoding: null,
        receivedAt: Date.now(),
        isOwn: false,
        format: "otlp-traces-json",
      },
    });
    const [run] = inbox.page("ai_runs", {}).rows;
    assert.deepEqual(
      [run!.kind, run!.name, run!.asked, run!.input_tokens, run!.output_tokens],
      ["call", "gpt-5-mini", "Is the lamp in stock?", 420, null],
    );
    const { messages } = readMessages(inbox.trace(run!.trace_id).spans[0]!);
    assert.deepEqual(messages.map(({ role, parts }) => `${role}: ${parts[0]!.text}`), [
      "user: Is the lamp in stock?",
      "assistant: Yes, 3 left.",
    ]);
  } finally {
    inbox.close();
  }
});
