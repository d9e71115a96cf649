import type { AiSpan } from "./ai_span.ts";

/** What calls of models used. Null: none of them sent it. */
export interface AiUsage {
  /** Calls with no call below them. */
  readonly calls: number;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  /** US dollars, as sent. */
  readonly cost: number | null;
}

/** A run of an agent, or a call or tool in none: one AI span and those of its application below it. */
export interface AiRunRow
  extends AiUsage, Pick<AiSpan, "kind" | "name" | "asked" | "conversation"> {
  readonly trace_id: string;
  /** Of its topmost span. */
  readonly span_id: string;
  /** Key of the application. */
  readonly application: string;
  readonly release: string | null;
  /** Milliseconds since 1970, by the sender's clock. */
  readonly started_at: number;
  /** Null: its topmost span has no end. */
  readonly duration: number | null;
  readonly tools: number;
  readonly failed_calls: number;
  readonly failed_tools: number;
  /** It failed, or a call or a tool in it. */
  readonly failed: boolean;
  /** From the run's start to the first part of its first response. */
  readonly first_token_ms: number | null;
  /** By their first call, at most 20. `failed`: a call of it. */
  readonly models: readonly (AiUsage & { readonly model: string; readonly failed: boolean })[];
}

/** Runs with one agent, model or conversation in common; of `all`, all. */
export interface AiSumRow extends AiUsage {
  readonly by: "all" | "agent" | "model" | "conversation";
  readonly value: string;
  readonly runs: number;
  /** Failed runs; of a model those in which a call of it failed. */
  readonly failed: number;
  /** Those whose cost was sent, which `cost` adds up. */
  readonly runs_with_cost: number;
}
