import { useId } from "react";
import { formatNumber } from "../../components/format.ts";
import { Icon } from "../../components/Icon.tsx";
import { type KeyValue, KeyValueList } from "../../components/KeyValueList.tsx";
import { Marked } from "../../components/OutcomeMark.tsx";
import {
  type AiField,
  aiNumber,
  aiText,
  MAX_MESSAGE,
} from "../../monitoring/models/ai/ai_attributes.ts";
import { type AiPart, readMessages } from "../../monitoring/models/ai/ai_messages.ts";
import type { AiSpan } from "../../monitoring/models/ai/ai_span.ts";
import { spanIdOf, type SpanNode } from "../../monitoring/models/trace/span_tree.ts";
import { linkTo } from "../data/fragment.ts";

const FACTS: readonly (readonly [name: string, field: AiField])[] = [
  ["Asked for", "requestModel"],
  ["Answered by", "responseModel"],
  ["Temperature", "temperature"],
  ["Max. tokens", "maxTokens"],
  ["Finished", "finish"],
];

/** The messages of a call or an agent, arguments and result of a tool, and what was asked for. */
export function CallPanel({ node, ai, traceId }: {
  node: SpanNode;
  ai: AiSpan | null;
  traceId: string;
}) {
  const id = useId();
  const { span } = node;
  const attributes = span?.attributes ?? {};
  const { messages, omitted, isShortened } = readMessages(span ?? { attributes });
  const cached = aiNumber(attributes, "cachedTokens");
  const sent = ai?.input_tokens ?? 0;
  const fact = (name: string, text: string | null): KeyValue | false =>
    text !== null && { name, value: <code>{text}</code> };
  return (
    <aside className="run-panel spaced" aria-labelledby={id}>
      <h4 id={id} className="beside">
        <Icon name={ai?.kind === "tool" ? "tool" : "ai"} />
        {ai?.name ?? span?.name ?? "Missing parent"}
        <small>{ai?.kind ?? span?.op}</small>
      </h4>
      {span?.failed && <Marked as="p" kind="refused">{span.status_message ?? span.status}</Marked>}
      {messages.length > 0 && (
        <p className="untrusted well small">
          <b>Untrusted text.</b>{" "}
          Written by users, a model and tools. Shown as plain text: no links, no markup.
          {isShortened && ` Cut after ${formatNumber(MAX_MESSAGE)} characters; `}
          {isShortened && <a href={linkTo("envelopes", [`${span?.envelope}`])}>all of it</a>}
        </p>
      )}
      {omitted > 0 && <p className="quiet">{formatNumber(omitted)} earlier messages</p>}
      {messages.length === 0 && ai && (
        <p className="quiet">No messages in its attributes, events and log records.</p>
      )}
      {messages.map(({ role, parts }, n) => (
        <section key={n} className="ai-message card" data-role={role}>
          <p className="small quiet">{role[0]!.toUpperCase() + role.slice(1)}</p>
          {parts.map((part, n) => <Part key={n} {...part} isShortened={isShortened} />)}
        </section>
      ))}
      <KeyValueList
        entries={[
          ...FACTS.map(([name, field]) =>
            // The reasons to finish are a list.
            fact(name, aiText(attributes, field)?.replace(/["[\]]/g, "") ?? null)
          ),
          cached !== null && fact(
            "From the cache",
            // Some senders do not count them among those that they sent.
            `${formatNumber(cached)}${cached > sent ? "" : ` of ${formatNumber(sent)} in`}`,
          ),
          {
            name: "Span",
            value: (
              <a href={linkTo("traces", [traceId], { span: spanIdOf(node) })}>Open in its trace</a>
            ),
          },
        ]}
      />
    </aside>
  );
}

function Part({ kind, name, text, isCut, isShortened }: AiPart & { isShortened: boolean }) {
  return (
    <div className="part">
      {name !== null && (
        <b className="beside">
          <Icon name="tool" />
          {name}
        </b>
      )}
      {kind === "text" ? <p>{text}</p> : <pre>{text}</pre>}
      {isCut && !isShortened && <small className="waits">cut by the sender</small>}
    </div>
  );
}
