import { Mark } from "../../components/Mark.tsx";
import { handledInWords, levelKind } from "./level.ts";

/** The longest level has seven letters; what a stranger sends instead must not break a table. */
const MAX_LENGTH = 12;

/** An error's level and whether it was handled, in words beside a mark. */
export function Level({ level, handled }: { level: string; handled: boolean | null }) {
  const kind = levelKind(level);
  const words = handledInWords(handled);
  return (
    <span className={`level ${kind}`}>
      <Mark kind={kind} />
      {level.slice(0, MAX_LENGTH)}
      {words !== "" && `, ${words}`}
    </span>
  );
}
