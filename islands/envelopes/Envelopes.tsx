import { useCallback, useEffect, useState } from "react";
import { Boundary } from "../shared/boundary.tsx";
import { EnvelopeDetails } from "./details.tsx";
import { type CameFrom, EnvelopeList, useEnvelopes } from "./list.tsx";
import { FileDetails } from "./file_details.tsx";
import { fragmentTo, useFragment } from "../shared/fragment.ts";
import { useDroppedFile } from "./dropped_file.ts";
import { useSource, useSourceState } from "../shared/source.ts";
import { useMounted } from "../shared/telemetry.ts";

/**
 * The raw feed, one envelope of it, or a saved one.
 *
 * @param props.variant `inbox` or `relay`
 */
export default function Envelopes({ variant }: { variant: string }) {
  const mounted = useMounted();
  return (
    <Boundary what="The list of envelopes">
      {mounted ? <Feed variant={variant} /> : <p className="empty">Reading envelopes.</p>}
    </Boundary>
  );
}

function Feed({ variant }: { variant: string }) {
  const source = useSource(variant);
  const { path: [place], params } = useFragment("envelopes");
  // Stays while one envelope is looked into: whoever comes back finds it as it was.
  const list = useEnvelopes(source);
  const [file, setFile] = useState<File>();
  const inspect = useCallback((file: File) => setFile(file), []);
  const isOver = useDroppedFile(inspect);
  const [cameFrom, setCameFrom] = useState<CameFrom>();
  // Whoever may not read the inbox is asked for its token where the list would be.
  const { state } = useSourceState(source);

  const id = place === undefined ? undefined : Number(place);
  useEffect(() => {
    // A link leads away from the file.
    setFile(undefined);
    if (id !== undefined) setCameFrom(id);
  }, [id]);
  const closeFile = () => {
    setFile(undefined);
    setCameFrom("file");
  };

  const back = fragmentTo("envelopes", [], Object.fromEntries(params));
  return (
    <div className={isOver ? "feed-view over" : "feed-view"}>
      {file
        ? <FileDetails file={file} back={back} onLeave={closeFile} />
        : id !== undefined && state !== "forbidden"
        ? (
          <EnvelopeDetails
            source={source}
            id={id}
            row={list.rows.find((row) => row.id === id)}
            back={back}
          />
        )
        : <EnvelopeList source={source} list={list} cameFrom={cameFrom} inspect={inspect} />}
    </div>
  );
}
