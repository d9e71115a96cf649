import { at, listOf, parseJson, textAt, toJson } from "../json.ts";
import type { LogAttributes } from "../../protocol/log_levels.ts";
import type { SpanEvent, TraceSpan } from "../trace/trace_span.ts";
import {
  type AiField,
  aiText,
  EVENT_CONTENT,
  MAX_MESSAGE,
  MESSAGE_EVENT,
} from "./ai_attributes.ts";

type AiRole = "system" | "user" | "assistant" | "tool";

/** A part of a message. Untrusted. */
export interface AiPart {
  /** `call`: the model asks for a tool. `result`: of a tool. `raw`: not readable as a message. */
  readonly kind: "text" | "call" | "result" | "raw";
  readonly text: string;
  /** Of the tool. */
  readonly name: string | null;
  /** It is incomplete JSON. */
  readonly isCut: boolean;
}

interface AiMessage {
  readonly role: AiRole;
  readonly parts: readonly AiPart[];
}

/** Of a conversation; of more than these the last ones are shown. */
const MAX_MESSAGES = 200;
const MAX_PARTS = 50;

interface AiMessages {
  readonly messages: readonly AiMessage[];
  /** Messages before them that are not shown. */
  readonly omitted: number;
  /** Some of it is longer than {@linkcode MAX_MESSAGE}: the envelope has the rest. */
  readonly isShortened: boolean;
}

/**
 * The messages of a call or an agent, or arguments and result of a tool, in their order. Instrumentations of
 * OpenTelemetry also send them in events of the span or log records. Never throws.
 */
export function readMessages(
  span: Pick<TraceSpan, "attributes" | "events" | "messages">,
): AiMessages {
  const inEvents = [...span.messages ?? [], ...span.events ?? []].map((event) => event.attributes);
  const attributes: LogAttributes = Object.assign({}, ...inEvents, span.attributes);
  const read = (field: AiField, role: AiRole): AiMessage[] => {
    const sent = aiText(attributes, field, Infinity);
    if (sent === null) return [];
    const value = sentValue(sent);
    if (value !== undefined) return messagesOf(value, role);
    return [{ role, parts: [{ kind: "raw", text: sent, name: null, isCut: true }] }];
  };
  const tool = aiText(attributes, "tool");
  /** As sent: it is no message, whatever its keys are. */
  const ofTool = (field: AiField, role: AiRole, kind: AiPart["kind"]): AiMessage[] => {
    const sent = aiText(attributes, field, Infinity);
    if (sent === null) return [];
    const value = sentValue(sent);
    const isInPart = typeof value === "string" || RESULTS.test(textAt(value, "type") ?? "");
    const text = isInPart ? partOf(value).text : sent;
    const isCut = value === undefined;
    return [{ role, parts: [{ kind, text, name: tool, isCut }] }];
  };
  const firstOf = (...lists: AiMessage[][]) => lists.find(({ length }) => length > 0) ?? [];
  const all = [
    ...firstOf(
      [...read("system", "system"), ...read("input", "user")],
      inputOf(span.events),
      inputOf(span.messages),
    ),
    ...ofTool("toolInput", "assistant", "call"),
    ...ofTool("toolOutput", "tool", "result"),
    ...firstOf(
      read("output", "assistant"),
      [...read("response", "assistant"), ...read("toolCalls", "assistant")],
      outputOf(span.events),
      outputOf(span.messages),
    ),
  ].filter(({ parts }) => parts.length > 0);
  const messages = all.slice(-MAX_MESSAGES);
  const isShortened = all.some(({ parts }) => parts.some(({ text }) => text.length >= MAX_MESSAGE));
  return { messages, omitted: all.length - messages.length, isShortened };
}

export function questionsOf({ attributes, events }: Pick<TraceSpan, "attributes" | "events">) {
  const sent = aiText(attributes, "input", Infinity);
  const messages = sent === null ? inputOf(events) : messagesOf(sentValue(sent), "user");
  return messages.filter(({ role }) => role === "user")
    .map(({ parts }) => textOf(parts.filter(({ kind }) => kind === "text")))
    .filter((text) => text !== "");
}

const ANSWER = "gen_ai.choice";

const inputOf = (events?: readonly SpanEvent[]) => messagesIn(events, false);
const outputOf = (events?: readonly SpanEvent[]) => messagesIn(events, true);

/** Each in an event: its attributes are the message, or one of them is its JSON. */
function messagesIn(events: readonly SpanEvent[] | undefined, isAnswer: boolean): AiMessage[] {
  const found = events?.filter(({ name }) =>
    MESSAGE_EVENT.test(name) && (name === ANSWER) === isAnswer
  );
  return (found ?? []).flatMap(({ name, attributes }) => {
    const [, role = "assistant"] = MESSAGE_EVENT.exec(name)!;
    const { [EVENT_CONTENT]: sent = null } = attributes;
    const event = sent === null ? attributes : sentValue(String(sent)) ?? sent;
    // Of an answer.
    const message = at(event, "message") ?? event;
    const json = typeof message === "string" ? sentValue(message) : message;
    if (["role", "content", "tool_calls"].some((key) => at(json, key) !== undefined)) {
      const calls = at(json, "tool_calls");
      const tool_calls = typeof calls === "string" ? sentValue(calls) : calls;
      return listMessages({ role, ...json as object, tool_calls }, "user");
    }
    return typeof message === "string" ? listMessages({ role, content: message }, "user") : [];
  });
}

const textOf = (parts: readonly AiPart[]) => parts.map(({ text }) => text).join("\n");

/** The value of a JSON text; undefined: it is another text. */
const parseJsonText = (text: string): unknown =>
  /^\s*[[{"]/.test(text) ? parseJson(new TextEncoder().encode(text)) : undefined;

/** A text that begins so is meant as JSON, not `[a link](…)`. */
const JSON_START = /^\s*(\[\s*[[{"]|{\s*")/;

/** The value of a JSON text; another text itself. Undefined: JSON that is cut. */
const sentValue = (text: string): unknown =>
  parseJsonText(text) ?? (JSON_START.test(text) ? undefined : text);

/** @param role of texts, and of messages that name none */
function messagesOf(json: unknown, role: AiRole): AiMessage[] {
  // Vercel's `ai.prompt`.
  const inner = role === "user" ? at(json, "messages") ?? at(json, "prompt") : undefined;
  if (inner === undefined) return listMessages(json, role);
  const system = at(json, "system");
  return [
    ...system === undefined ? [] : listMessages(system, "system"),
    ...listMessages(inner, "user"),
  ];
}

function listMessages(json: unknown, role: AiRole): AiMessage[] {
  const list = Array.isArray(json) ? json : [json];
  return list.flatMap((one): AiMessage[] => {
    const sent = at(one, "role");
    if (typeof sent !== "string" || !Object.hasOwn(ROLES, sent)) {
      // A part by itself: a text, or an item of OpenAI's Responses API.
      const part = partOf(one);
      const byKind = part.kind === "result" ? "tool" : part.kind === "call" ? "assistant" : role;
      return [{ role: byKind, parts: [part].filter(isNotEmpty) }];
    }
    const value = at(one, "content");
    // OpenLLMetry and Strands send a list of parts as text.
    const isList = typeof value === "string" && /^\[{"(type|text|tool[UR]\w+)"/.test(value);
    const content = isList ? parseJsonText(value) ?? value : value;
    const parts = [
      ...listOf(at(one, "parts")),
      ...Array.isArray(content) ? content : [content],
      ...listOf(at(one, "tool_calls")),
    ];
    const of = ROLES[sent]!;
    const read = parts.filter((part) => part !== undefined && part !== null).slice(0, MAX_PARTS)
      .map(partOf).filter(isNotEmpty);
    // OpenAI's results of tools are texts.
    const asResult = (part: AiPart) =>
      ({ ...part, kind: "result", name: part.name ?? textAt(one, "name") }) as const;
    if (of === "tool") return [{ role: of, parts: read.map(asResult) }];
    // Anthropic's are in messages of the user.
    const own = read.filter(({ kind }) => of !== "user" || kind !== "result");
    const results = read.filter((part) => !own.includes(part));
    return [{ role: "tool", parts: results }, { role: of, parts: own }];
  });
}

const isNotEmpty = ({ text, name }: AiPart) => text !== "" || name !== null;

const ROLES: Readonly<Record<string, AiRole>> = {
  ...{ system: "system", developer: "system", user: "user", human: "user" },
  ...{
    assistant: "assistant",
    model: "assistant",
    ai: "assistant",
    tool: "tool",
    function: "tool",
  },
};

const CALLS = /^(tool[-_](call|use)|function(_call)?)$/;
const RESULTS = /^(tool[-_](call_response|result)|function_call_output)$/;

function partOf(part: unknown): AiPart {
  const of = (kind: AiPart["kind"], value: unknown, name: string | null = null) => {
    const text = typeof value === "string" ? value : value === undefined ? "" : toJson(value);
    return { kind, text, name, isCut: false };
  };
  if (typeof part === "string") return of("text", part);
  const first = (from: unknown, ...names: string[]) =>
    names.map((name) => at(from, name)).find((value) => value !== undefined && value !== null);
  const type = textAt(part, "type") ?? "";
  const called = at(part, "function") ?? part;
  const name = textAt(called, "name") ?? textAt(part, "toolName");
  if (RESULTS.test(type)) {
    return of("result", first(part, "response", "result", "output", "content"), name);
  }
  const input = first(called, "arguments", "args", "input");
  if (CALLS.test(type) || (name !== null && input !== undefined)) return of("call", input, name);
  const text = first(part, "text", "content", "summary");
  // Any other object is an answer in JSON.
  const isPart = type !== "" || Object.keys(part ?? {}).length === 1 ||
    first(part, "role", "tool_calls") !== undefined;
  return isPart && typeof text === "string" ? of("text", text) : of("raw", part);
}
