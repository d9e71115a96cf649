import type { LogAttributes } from "../../protocol/log_levels.ts";

/**
 * Attributes in their order of preference: OpenTelemetry's and Sentry's present names, their earlier ones, those of Vercel's
 * AI SDK, and of Sentry's earlier Python SDKs.
 * https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/
 * https://getsentry.github.io/sentry-conventions/attributes/gen_ai/
 * https://ai-sdk.dev/docs/ai-sdk-core/telemetry
 */
const NAMES = {
  operation: "gen_ai.operation.name ai.operationId",
  agent: "gen_ai.agent.name gen_ai.workflow.name gen_ai.pipeline.name gen_ai.function_id" +
    " ai.telemetry.functionId ai.pipeline.name",
  tool: "gen_ai.tool.name ai.toolCall.name",
  requestModel: "gen_ai.request.model ai.model.id ai.model_id",
  responseModel: "gen_ai.response.model ai.response.model",
  inputTokens: "gen_ai.usage.input_tokens gen_ai.usage.prompt_tokens ai.usage.inputTokens" +
    " ai.usage.promptTokens ai.usage.tokens ai.prompt_tokens.used",
  outputTokens: "gen_ai.usage.output_tokens gen_ai.usage.completion_tokens ai.usage.outputTokens" +
    " ai.usage.completionTokens ai.completion_tokens.used",
  cachedTokens: "gen_ai.usage.cache_read.input_tokens gen_ai.usage.input_tokens.cached" +
    " gen_ai.usage.cache_read_input_tokens ai.usage.cachedInputTokens",
  conversation: "gen_ai.conversation.id ai.telemetry.metadata.conversationId",
  firstToken: "gen_ai.response.time_to_first_chunk gen_ai.response.time_to_first_token",
  firstTokenMs: "ai.response.msToFirstChunk ai.stream.msToFirstChunk",
  finish: "gen_ai.response.finish_reasons gen_ai.response.stop_reason ai.response.finishReason" +
    " anthropic.message.stop_reason",
  temperature: "gen_ai.request.temperature ai.settings.temperature",
  maxTokens: "gen_ai.request.max_tokens ai.settings.maxOutputTokens ai.settings.maxTokens",
  system: "gen_ai.system_instructions gen_ai.system.message",
  input:
    "gen_ai.input.messages gen_ai.request.messages ai.prompt.messages gen_ai.prompt ai.prompt" +
    " ai.input_messages gen_ai.embeddings.input ai.value ai.values",
  output: "gen_ai.output.messages",
  response: "gen_ai.response.text gen_ai.response.object gen_ai.completion ai.response.text" +
    " ai.response.object ai.responses",
  toolCalls: "gen_ai.response.tool_calls ai.response.toolCalls",
  toolInput: "gen_ai.tool.call.arguments gen_ai.tool.input ai.toolCall.args ai.toolCall.input",
  toolOutput: "gen_ai.tool.call.result gen_ai.tool.output gen_ai.tool.message ai.toolCall.result" +
    " ai.toolCall.output",
};

export type AiField = keyof typeof NAMES;

/** Sentry's SDKs put `vercel.` before names that they do not convert. */
const namesOf = (field: AiField) =>
  NAMES[field].split(" ").flatMap((name) => [name, `vercel.${name}`]);

/** Characters of an attribute with messages: a long conversation. The envelope has the whole text. */
export const MAX_MESSAGE = 100_000;

/** OpenLLMetry numbers messages: `gen_ai.prompt.0.role`, `gen_ai.prompt.0.tool_calls.0.name`. */
const NUMBERED = /^gen_ai\.(prompt|completion)$/;
const NUMBERED_CONTENT =
  /^gen_ai\.(prompt|completion)\.\d\d?\.(content|tool_calls\.\d\d?\.arguments)$/;
const MAX_NUMBERED = 100;

const MESSAGE_ATTRIBUTES: ReadonlySet<string> = new Set(
  (["system", "input", "output", "response", "toolCalls", "toolInput", "toolOutput"] as const)
    .flatMap(namesOf),
);

/** An attribute with messages, which is kept longer than others. */
export const hasMessages = (name: string) =>
  MESSAGE_ATTRIBUTES.has(name) || NUMBERED_CONTENT.test(name);

/**
 * Events that are messages, by OpenTelemetry's earlier convention: of spans, or log records.
 * https://github.com/open-telemetry/semantic-conventions/blob/v1.36.0/docs/gen-ai/gen-ai-events.md
 */
export const MESSAGE_EVENT = /^gen_ai\.(?:(system|user|assistant|tool)\.message|choice)$/;
/** Of such an event: the message as JSON. */
export const EVENT_CONTENT = "gen_ai.event.content";

/** The present one, with messages in its attributes. */
export const DETAILS_EVENT = "gen_ai.client.inference.operation.details";

/** What has these names after `PREFIX.0`, `PREFIX.1` and so on. */
function listed(attributes: LogAttributes, prefix: string, names: readonly string[]) {
  const list: Record<string, unknown>[] = [];
  while (list.length < MAX_NUMBERED) {
    const one = names.map((name) => [name, own(attributes, `${prefix}.${list.length}.${name}`)]);
    if (one.every(([, value]) => value === undefined)) break;
    list.push(Object.fromEntries(one));
  }
  return list;
}

/** Numbered messages as JSON of a list. */
function numbered(attributes: LogAttributes, name: string): string | undefined {
  if (!NUMBERED.test(name)) return undefined;
  const messages = listed(attributes, name, ["role", "content"]).map((message, n) => ({
    ...message,
    tool_calls: listed(attributes, `${name}.${n}.tool_calls`, ["name", "arguments"]),
  }));
  return messages.length === 0 ? undefined : JSON.stringify(messages);
}

/** The value of the first attribute that has one. */
function aiValue(attributes: LogAttributes, field: AiField) {
  return namesOf(field).map((name) => own(attributes, name) ?? numbered(attributes, name))
    .find((value) => value !== undefined && value !== "");
}

export const own = (attributes: LogAttributes, name: string) =>
  Object.hasOwn(attributes, name) ? attributes[name] : undefined;

/** A text of at most so many characters; null: none was sent. */
export function aiText(attributes: LogAttributes, field: AiField, max = MAX_NAME): string | null {
  const value = aiValue(attributes, field);
  return value === undefined ? null : cut(String(value), max);
}

/** A number that is not negative; null: none was sent. */
export const aiNumber = (attributes: LogAttributes, field: AiField): number | null =>
  positive(aiValue(attributes, field));

export function positive(value: unknown): number | null {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && number >= 0 && Number.isFinite(number) ? number : null;
}

/** The sum of what was sent; null: nothing was. */
export function sumOf(values: readonly (number | null)[]): number | null {
  const sent = values.filter((value) => value !== null);
  return sent.length === 0 ? null : sent.reduce((sum, value) => sum + value);
}

/** Characters of a name: longer than any that is used. */
export const MAX_NAME = 200;
export const cut = (text: string, max: number) =>
  (text.length > max ? `${text.slice(0, max - 1)}…` : text).toWellFormed();
