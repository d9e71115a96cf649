import { Boundary } from "./_boundary.tsx";

/** What monitoring costs on this very visit. */
export default function Settings() {
  return (
    <Boundary what="The cost">
      <p className="empty">Nothing has been measured yet.</p>
    </Boundary>
  );
}
