import { Label } from "../components/Label.tsx";

/** Is on no page: the build gives its code a file of its own. */
export default function Unused() {
  return <Label id="unused" text="unused" />;
}
