import { useState } from "react";
import { formatCount } from "../../components/format/count.ts";
import { Mark } from "../../components/Mark.tsx";

/**
 * Empties the inbox after a second press, because envelopes cannot be restored. While nothing can be stored, shows what
 * to do.
 *
 * @param props.what is emptied, "the inbox" where nothing else is said
 * @param props.canStore whether envelopes can be stored
 */
export function ClearInbox({ total, canStore, clear, what = "the inbox" }: {
  total: number;
  canStore: boolean;
  clear: () => Promise<void>;
  what?: string;
}) {
  const [step, setStep] = useState<"untouched" | "asking" | "clearing" | "answered">("untouched");
  const [refusal, setRefusal] = useState("");

  const empty = async () => {
    setStep("clearing");
    setRefusal("");
    try {
      await clear();
    } catch (error) {
      setRefusal(error instanceof Error ? error.message : String(error));
    }
    setStep("answered");
  };

  if (step === "asking" || step === "clearing") {
    const busy = step === "clearing";
    return (
      <div className="ask" role="group" aria-label={`Empty ${what}?`}>
        <span>Remove {formatCount(total, "envelope")} for good?</span>
        <button type="button" className="danger" disabled={busy} onClick={empty}>Empty it</button>
        <button type="button" autoFocus disabled={busy} onClick={() => setStep("answered")}>
          Keep
        </button>
      </div>
    );
  }
  return (
    <>
      {!canStore && (
        <span role="alert" className="refused">
          <Mark kind="refused" />
          The inbox cannot store envelopes: the disk is full or not writable. Free disk space or
          delete all envelopes.
        </span>
      )}
      {refusal && (
        <span role="alert" className="refused">
          <Mark kind="refused" />
          Not emptied: {refusal}
        </span>
      )}
      {/* Not `disabled` when there is nothing to remove: it must be able to take the focus back. */}
      <button
        type="button"
        autoFocus={step === "answered"}
        aria-disabled={total === 0}
        onClick={() => total > 0 && setStep("asking")}
      >
        Empty {what}
      </button>
    </>
  );
}
