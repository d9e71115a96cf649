import { useState } from "react";
import { Label } from "../components/Label.tsx";

/** Inside a closed `<details>`: its code is loaded when that is opened. */
export default function Folded() {
  const [count, setCount] = useState(0);
  return (
    <p>
      <Label id="folded" text="folded" />
      <button type="button" onClick={() => setCount(count + 1)}>Folded {count}</button>
    </p>
  );
}
