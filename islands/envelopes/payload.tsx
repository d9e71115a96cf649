import { useMemo, useRef, useState } from "react";
import { formatBytes } from "../../components/format/bytes.ts";
import { MAX_SHOWN, readPayload, SHOWN_AT_FIRST } from "./inspect/payload.ts";
import { saveFile } from "../shared/save_file.ts";

/**
 * Bytes as a person reads them, at first as much as fills some screens.
 *
 * @param props.name what the bytes are: "Payload of item 1"
 * @param props.file a name for who saves them
 */
export function Payload({ bytes, name, file }: { bytes: Uint8Array; name: string; file?: string }) {
  const [limit, setLimit] = useState(SHOWN_AT_FIRST);
  const place = useRef<HTMLPreElement>(null);
  const { kind, text, whole } = useMemo(() => readPayload(bytes, limit), [bytes, limit]);
  const size = formatBytes(bytes.byteLength);
  const canGrow = !whole && kind !== "bytes" && limit < MAX_SHOWN;
  return (
    <div className="payload">
      <p>
        {name}: {kind}, {size}
        {!whole && <span>{kind === "bytes" ? ", its start" : ", its first part"}</span>}
      </p>
      {text !== "" && <pre ref={place} tabIndex={0} aria-label={name}>{text}</pre>}
      <p className="line">
        {canGrow && (
          <button
            type="button"
            className="plain"
            onClick={() => {
              setLimit(MAX_SHOWN);
              // The button goes; who pressed it goes on where the rest is.
              place.current?.focus();
            }}
          >
            Show all ({size})
          </button>
        )}
        {file && (
          <button
            type="button"
            className="plain"
            onClick={() => saveFile(URL.createObjectURL(blobOf(bytes)), file)}
          >
            Download {name.toLowerCase()}
          </button>
        )}
      </p>
    </div>
  );
}

/** Of no type that a browser would show as a document. */
function blobOf(bytes: Uint8Array): Blob {
  return new Blob([bytes as Uint8Array<ArrayBuffer>], { type: "application/octet-stream" });
}
