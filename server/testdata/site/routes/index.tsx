import { Island, slot } from "../../../page.ts";
import Counter from "../islands/Counter.tsx";
import Plain from "../islands/Plain.tsx";

export const variants = ["one", "two"];

export default function Page({ variant }: { variant: string }) {
  return (
    <main>
      <h1>Variant {variant} at {slot("place")}</h1>
      <Island of={Counter} props={{ start: 3, label: slot("place") }} />
      <Island of={Counter} props={{ start: 5, label: "fixed </script>" }} />
      <Island of={Plain} />
    </main>
  );
}
