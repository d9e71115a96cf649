import { useEffect, useState } from "react";
import { describeOutcome, receiptKey } from "../../components/outcome.ts";
import type { FlowReceipt } from "../shared/flow.ts";

/** Marks that move at once; larger bursts are only counted. */
const MAX_MOVING = 24;
/** Marks for waiting envelopes; their number is beside the tube. */
const MAX_WAITING = 16;
/** Milliseconds between two marks of one burst, so that they do not overlap. */
const STAGGER_MS = 110;

/** Lists whose marks were started. Outlives the component: a navigation creates another one with the same list. */
const started = new WeakSet<readonly FlowReceipt[]>();

interface MovingMark {
  readonly key: string;
  readonly className: string;
  readonly delayMs: number;
}

/**
 * The content of the tube: a mark for each waiting envelope, and one that moves for each envelope that was answered.
 * Decorative: the same is in the texts.
 *
 * @param props.fresh receipts since the last render
 * @param props.waiting number of waiting envelopes
 */
export function Tube({ fresh, waiting }: { fresh: readonly FlowReceipt[]; waiting: number }) {
  const [moving, setMoving] = useState<readonly MovingMark[]>([]);

  useEffect(() => {
    if (started.has(fresh)) return;
    started.add(fresh);
    // A hidden page runs no animations: its marks would all start when it is shown again.
    if (fresh.length === 0 || document.hidden) return;
    const marks = fresh.slice(-MAX_MOVING).map((receipt, index) => ({
      key: receiptKey(receipt),
      className: `moving ${describeOutcome(receipt).kind} size-${sizeClass(receipt.bytes)}`,
      delayMs: index * STAGGER_MS,
    }));
    setMoving((now) => [...now, ...marks].slice(-MAX_MOVING));
  }, [fresh]);

  return (
    <>
      <div className="waiting">
        {Array.from({ length: Math.min(waiting, MAX_WAITING) }, (_, index) => <i key={index} />)}
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

/** Largest envelope of each size class but the last, bytes. */
const SIZE_CLASSES = [1024, 8 * 1024, 64 * 1024] as const;

/** Size class of an envelope, from 1 to 4; it decides how long the envelope's mark is. */
function sizeClass(bytes: number): number {
  const index = SIZE_CLASSES.findIndex((largest) => bytes <= largest);
  return (index === -1 ? SIZE_CLASSES.length : index) + 1;
}
