import { useState } from "react";
import { formatCount } from "../../components/format/count.ts";
import { Mark } from "../../components/Mark.tsx";

/**
 * Deletes all envelopes after a confirmation: they cannot be restored. While nothing can be stored, shows what to do
 * about it.
 *
 * @param props.canStore whether envelopes can be stored
 */
export function ClearInbox({ total, canStore, clear }: {
  total: number;
  canStore: boolean;
  clear: () => Promise<void>;
}) {
  const [step, setStep] = useState<"untouched" | "asking" | "clearing" | "answered">("untouched");
  const [refusal, setRefusal] = useState("");

  const deleteAll = async () => {
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
      <div className="ask" role="group" aria-label="Delete all?">
        <span>Delete {formatCount(total, "envelope")} permanently?</span>
        <button type="button" className="danger" disabled={busy} onClick={deleteAll}>
          Delete all
        </button>
        <button type="button" autoFocus disabled={busy} onClick={() => setStep("answered")}>
          Cancel
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
          press “Delete all”.
        </span>
      )}
      {refusal && (
        <span role="alert" className="refused">
          <Mark kind="refused" />
          Not deleted: {refusal}
        </span>
      )}
      {/* Not `disabled` when there is nothing to delete: it must be able to take the focus back. */}
      <button
        type="button"
        autoFocus={step === "answered"}
        aria-disabled={total === 0}
        onClick={() => total > 0 && setStep("asking")}
      >
        Delete all
      </button>
    </>
  );
}
