import { type DeliveryState, describeOutcome } from "./outcome.ts";
import { OutcomeMark } from "./OutcomeMark.tsx";

export function Outcome({ result }: { result: DeliveryState }) {
  const { kind, word, meaning } = describeOutcome(result);
  return (
    <span className={kind} title={meaning}>
      <OutcomeMark kind={kind} />
      {word}
    </span>
  );
}
