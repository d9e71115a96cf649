import { Mark } from "../components/Mark.tsx";
import { Label } from "../components/Label.tsx";

export default function Plain() {
  return (
    <p>
      <Mark />
      <Label id="plain" text="no props" />
    </p>
  );
}
