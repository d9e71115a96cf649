import { Mark } from "../../components/Mark.tsx";

/** What is wrong with an envelope or a file: what, where, and what would be right. */
export function Trouble({ title, what, where, right, around }: {
  title: string;
  what: string;
  where?: string;
  right?: string;
  /** The bytes there, as a dump. */
  around?: string;
}) {
  return (
    <div role="alert" className="failure">
      <p className="refused">
        <Mark kind="refused" />
        <b>{title}</b>
      </p>
      <p>{what}</p>
      {where && <p>{where}</p>}
      {right && <p>{right}</p>}
      {around && <pre className="dump" tabIndex={0} aria-label="The bytes there">{around}</pre>}
    </div>
  );
}
