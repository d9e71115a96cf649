import { type DeliveryState, describeOutcome } from "./outcome.ts";
import { Marked } from "./OutcomeMark.tsx";

export function Outcome({ result }: { result: DeliveryState }) {
  const { kind, word, meaning } = describeOutcome(result);
  return <Marked kind={kind} title={meaning}>{word}</Marked>;
}
