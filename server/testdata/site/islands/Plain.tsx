import { Label } from "../components/Label.tsx";

export default function Plain() {
  return <Label id="plain" text="no props" />;
}
