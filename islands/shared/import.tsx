import { useState } from "react";
import { formatCount } from "../../components/format/count.ts";
import { Mark } from "../../components/Mark.tsx";
import type { ImportResult } from "../../monitoring/protocol/inbox_archive.ts";
import { FileButton } from "./file_button.tsx";

/** Takes a file that was exported back in, and says what became of each envelope in it. */
export function Import({ take }: { take: (archive: Blob) => Promise<ImportResult> }) {
  const [told, setTold] = useState<{ text: string; bad?: boolean }>();

  const read = async (archive: File) => {
    setTold({ text: `Importing ${archive.name}.` });
    try {
      const result = await take(archive);
      setTold({ text: inWords(result), bad: result.refused > 0 || result.broken !== undefined });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      setTold({ text: `Not imported: ${reason}`, bad: true });
    }
  };

  return (
    <>
      <FileButton name="File to import" open={(archive) => void read(archive)}>Import</FileButton>
      <p role="status" className={told?.bad ? "told refused" : "told"}>
        {told?.bad && <Mark kind="refused" />}
        {told?.text}
      </p>
    </>
  );
}

function inWords({ taken, present, refused, reasons, broken }: ImportResult): string {
  const counts = [
    `${formatCount(taken, "envelope")} taken`,
    ...(present > 0 ? [`${present} there already`] : []),
    ...(refused > 0 ? [`${refused} refused`] : []),
  ].join(", ");
  const [first] = reasons;
  const why = first === undefined ? "" : ` Envelope ${first.envelope}: ${first.reason}`;
  return `${counts}.${why}${broken === undefined ? "" : ` ${broken}`}`;
}
