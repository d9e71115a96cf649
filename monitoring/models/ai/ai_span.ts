import { aiNumber, aiText, cut, MAX_NAME, own, positive, sumOf } from "./ai_attributes.ts";
import { questionsOf } from "./ai_messages.ts";
import type { TraceSpan } from "../trace/trace_span.ts";

/** What lists of AI runs need of one AI span. Texts are untrusted. */
export interface AiSpan {
  /** `agent`: calls models and tools; `call`: of a model; `step`: anything else, such as a handoff. */
  readonly kind: "agent" | "call" | "tool" | "step";
  /** Of the agent, the model or the tool. */
  readonly name: string;
  /** That answered, else the requested one. */
  readonly model: string | null;
  /** If another one answered. */
  readonly requested?: string;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  /** In US dollars, as sent. */
  readonly cost: number | null;
  /** Milliseconds from the span's start to the first part of the response. */
  readonly first_token_ms: number | null;
  readonly conversation: string | null;
  /** The beginning of the last message of a user. */
  readonly asked: string | null;
}

/** Operations by the end of their names: `gen_ai.execute_tool`, `ai.streamText.doStream`, `ai.run.langchain`. */
const KINDS: readonly (readonly [RegExp, AiSpan["kind"]])[] = [
  [/^(execute_tool|toolCall|tool\b)/, "tool"],
  [/\.do[A-Z]\w+$/, "call"],
  [/^(invoke_(agent|workflow)|agent\b|workflow|pipeline\b|run\b)/, "agent"],
  // Names the model of later calls.
  [/^create_agent/, "step"],
  // Those of Vercel's SDK without `do` call a model several times.
  [/^(generate|stream)(Text|Object|_text|_object)$/, "agent"],
  [/^(chat|text_completion|completion|generate|embed|rerank|responses|messages|models)/, "call"],
];

/** What an AI span did; null: it is another span. */
export function readAiSpan(
  span: Pick<TraceSpan, "op" | "name" | "attributes" | "events">,
): AiSpan | null {
  const { op, name, attributes } = span;
  const ofOp = /^(?:gen_ai|ai)(?:\.|$)(.*)/.exec(op ?? "")?.[1];
  const operation = aiText(attributes, "operation") ?? ofOp;
  if (operation === undefined) return null;
  const bare = operation.replace(/^(gen_ai|ai)\./, "");
  const requested = aiText(attributes, "requestModel");
  const model = aiText(attributes, "responseModel") ?? requested;
  const known = KINDS.find(([pattern]) => pattern.test(bare))?.[1];
  const kind = known ?? (model === null ? "step" : "call");
  const firstToken = aiNumber(attributes, "firstToken");
  const cost = (of: string) => positive(own(attributes, `gen_ai.cost.${of}_tokens`));
  const named = kind === "call" ? model : kind === "step" ? null : aiText(attributes, kind);
  return {
    kind,
    name: named ?? cut(name.replace(/^(invoke_agent|execute_tool) /, ""), MAX_NAME),
    model,
    ...requested !== null && requested !== model && { requested },
    input_tokens: aiNumber(attributes, "inputTokens"),
    output_tokens: aiNumber(attributes, "outputTokens"),
    cost: cost("total") ?? sumOf([cost("input"), cost("output")]),
    first_token_ms: firstToken === null
      ? aiNumber(attributes, "firstTokenMs")
      : Math.round(firstToken * 1e6) / 1e3,
    conversation: aiText(attributes, "conversation"),
    asked: kind === "tool" ? null : lastQuestion(span),
  };
}

function lastQuestion(span: Parameters<typeof questionsOf>[0]): string | null {
  const text = questionsOf(span).at(-1);
  return text ? cut(text.replace(/\s+/g, " ").trim(), MAX_NAME) || null : null;
}
