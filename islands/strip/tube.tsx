import { useEffect, useState } from "react";
import type { FlowReceipt } from "../shared/flow.ts";
import { describeOutcome, receiptKey } from "../../components/outcome.ts";
import { markSize } from "./mark_size.ts";

/** Marks in the tube at once. In a burst of more the counts tell the rest. */
const MAX_MOVING = 24;
/** Marks shown for what waits; the number stands beside them. */
const MAX_HELD = 16;
/** Milliseconds between two marks of one burst, so that they are seen one by one. */
const STAGGER_MS = 110;

/** What has begun to move: a navigation makes the island anew, and it must not pass a second time. */
const begun = new WeakSet<readonly FlowReceipt[]>();

interface Moving {
  readonly key: string;
  readonly className: string;
  readonly delayMs: number;
}

/** What is in the glass. Everything that it shows is also said in words beside it. */
export function Tube({ fresh, waiting }: { fresh: readonly FlowReceipt[]; waiting: number }) {
  const [moving, setMoving] = useState<readonly Moving[]>([]);

  useEffect(() => {
    if (begun.has(fresh)) return;
    begun.add(fresh);
    // A hidden page runs no animations, so its marks would pile up and all start on the return.
    if (fresh.length === 0 || document.hidden) return;
    const marks = fresh.slice(-MAX_MOVING).map((passing, index) => ({
      key: receiptKey(passing),
      className: `m ${describeOutcome(passing).kind} s${markSize(passing.bytes)}`,
      delayMs: index * STAGGER_MS,
    }));
    setMoving((now) => [...now, ...marks].slice(-MAX_MOVING));
  }, [fresh]);

  return (
    <>
      <div className="held">
        {Array.from({ length: Math.min(waiting, MAX_HELD) }, (_, index) => <i key={index} />)}
      </div>
      {moving.map(({ key, className, delayMs }) => (
        <i
          key={key}
          className={className}
          style={{ animationDelay: `${delayMs}ms` }}
          onAnimationEnd={() => setMoving((now) => now.filter((mark) => mark.key !== key))}
        />
      ))}
    </>
  );
}
