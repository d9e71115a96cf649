import { useEffect, useState } from "react";
import { Trouble } from "./Trouble.tsx";
import { formatBytes } from "../../components/format/bytes.ts";
import { isArchiveHeader } from "../../monitoring/protocol/inbox_archive.ts";
import { inspectEnvelope, type Inspection } from "./inspect/inspect_envelope.ts";
import { openFile } from "./inspect/open_file.ts";
import { ArchiveList } from "./archive_list.tsx";
import { Details } from "../shared/details.tsx";
import { Inspector } from "./inspector.tsx";

type Read =
  | { readonly state: "reading" }
  | { readonly state: "failed"; readonly error: string }
  | { readonly state: "read"; readonly encoding: string | null; readonly inspection: Inspection };

/**
 * A saved file, looked into in this browser alone.
 *
 * @param props.back the link to the list
 */
export function FileDetails({ file, back, onLeave }: {
  file: File;
  back: string;
  onLeave: () => void;
}) {
  const [read, setRead] = useState<Read>({ state: "reading" });
  useEffect(() => {
    let gone = false;
    setRead({ state: "reading" });
    openFile(file).then(({ bytes, encoding }) => {
      if (!gone) setRead({ state: "read", encoding, inspection: inspectEnvelope(bytes) });
    }).catch((error: Error) => {
      if (!gone) setRead({ state: "failed", error: error.message });
    });
    return () => {
      gone = true;
    };
  }, [file]);

  const encoding = read.state === "read" && read.encoding ? `, ${read.encoding}` : "";
  return (
    <Details title={file.name} all="All envelopes" back={back} onLeave={onLeave}>
      <p>
        {formatBytes(file.size)}
        {encoding}. It was read in this browser and sent nowhere.
      </p>
      {read.state === "reading" && <p className="empty">Reading the file.</p>}
      {read.state === "failed" && <Trouble title="The file cannot be read." what={read.error} />}
      {read.state === "read" && (
        isArchiveHeader(read.inspection.attributes)
          ? <ArchiveList archive={read.inspection} />
          : <Inspector inspection={read.inspection} />
      )}
    </Details>
  );
}
