import "../background_code.ts";
import { Fragment, useEffect, useRef } from "react";
import { KeyValueList } from "../../components/KeyValueList.tsx";
import { viewsOf } from "./registry.ts";

/** Each form of a query, and what it finds. */
const QUERY: readonly (readonly [form: string, finds: string])[] = [
  ["cart 8f3a91c2", "Both words, or beginnings of words; of an id, its first 8 digits"],
  ['"no stock"', "These words after each other"],
  [
    "order.id:A-1234",
    "The whole value of an attribute, or of name, op, status, level, type, application, release, " +
    "environment; else this text. Words alone find what is in a list or in JSON",
  ],
  ['user.id:"a b" route:/api/*', "A value with spaces, never as text; the beginning of a value"],
  ["-route:/health -debug", "Not these"],
  [
    "duration:>500ms status_code:400..499",
    "More, less (<) or between, of numbers; tags are texts. ns, us, ms, s, m, h",
  ],
];
const KEYS: readonly (readonly [keys: string, moves: string])[] = [
  ["/", "Search; Enter leads back to the rows"],
  ["j k", "Next and previous row, or span of an open trace"],
  ["J K", "Next and previous detail"],
  ["f F", "Next and previous value or link of the row; Enter opens it"],
  ["n N", "Next and previous match in a trace"],
  ["e E", "Next and previous failed span"],
  ["+ − 0", "Zoom in a trace"],
  ["Enter Esc", "Open and close"],
  ["[", "Fold the sidebar"],
];

/** How queries are written, and the keys: a dialog that the key `?` opens. */
export function Help({ variant, close }: { variant: string; close: () => void }) {
  const keys = [...KEYS, ...viewsOf(variant).map(({ key, title }) => [`g ${key}`, title] as const)];
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current!.showModal(), []);
  return (
    <dialog ref={dialog} className="help" aria-label="Help" onClose={close}>
      <form method="dialog" className="beside ends">
        <h3>Queries and keys</h3>
        <button type="submit" className="plain">Close</button>
      </form>
      <KeyValueList
        entries={QUERY.map(([form, finds]) => ({ name: <code>{form}</code>, value: finds }))}
      />
      <KeyValueList
        entries={keys.map(([names, moves]) => ({
          name: names.split(" ").map((name) => (
            <Fragment key={name}>
              <kbd>{name}</kbd>
              {" "}
            </Fragment>
          )),
          value: moves,
        }))}
      />
    </dialog>
  );
}
