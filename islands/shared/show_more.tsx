import { useState } from "react";
import { formatCount } from "../../components/format/count.ts";

/**
 * The first items of a long list, and the button that shows as many more.
 *
 * @param atOnce items that each press adds
 * @param name one of them: "envelope"
 */
export function useShowMore<Item>(items: readonly Item[], atOnce: number, name: string) {
  const [count, setCount] = useState(atOnce);
  const left = items.length - count;
  return {
    shown: items.slice(0, count),
    button: left > 0 && (
      <button type="button" onClick={() => setCount(count + atOnce)}>
        Show {formatCount(Math.min(atOnce, left), name)} more
      </button>
    ),
  };
}
