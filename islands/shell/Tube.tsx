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
  /** In rem. */
  readonly width: number;
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
      className: `moving ${describeOutcome(receipt).kind}`,
      width: widthOf(receipt.bytes),
      delayMs: index * STAGGER_MS,
    }));
    setMoving((now) => [...now, ...marks].slice(-MAX_MOVING));
  }, [fresh]);

  return (
    <>
      <div className="waiting beside">
        {Array.from(
          { length: Math.min(waiting, MAX_WAITING) },
          (_, index) => <i key={index} className="mark waits" />,
        )}
      </div>
      {moving.map(({ key, className, width, delayMs }) => (
        <i
          key={key}
          className={className}
          style={{ width: `${width}rem`, animationDelay: `${delayMs}ms` }}
          onAnimationEnd={() => setMoving((now) => now.filter((mark) => mark.key !== key))}
        />
      ))}
    </>
  );
}

/** Widths of marks in rem, each with the bytes of the largest envelope that has it. */
const WIDTHS = [[1024, 0.5], [8 * 1024, 1], [64 * 1024, 1.5], [Infinity, 2.5]] as const;

const widthOf = (bytes: number) => WIDTHS.find(([largest]) => bytes <= largest)![1];
