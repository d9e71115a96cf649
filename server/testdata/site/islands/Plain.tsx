import { Mark } from "../components/Mark.tsx";
import { Label } from "../components/Label.tsx";

/** Island without props or state: the build must prerender and bundle it as well. */
export default function Plain() {
  return (
    <p>
      <Mark />
      <Label id="plain" text="no props" />
    </p>
  );
}
