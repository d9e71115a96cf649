import { useId, useState } from "react";
import { Mark } from "../components/Mark.tsx";
import { Label } from "../components/Label.tsx";

/** The island of all pages. */
export default function Counter(
  { start, label }: { start: number; label: string },
) {
  const [count, setCount] = useState(start);
  const id = useId();
  return (
    <p>
      <Mark />
      <Label id={id} text={label} />
      <button type="button" aria-labelledby={id} onClick={() => setCount(count + 1)}>
        {count}
      </button>
    </p>
  );
}
