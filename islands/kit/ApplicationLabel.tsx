import {
  createContext,
  type CSSProperties,
  Fragment,
  type ReactNode,
  useContext,
  useMemo,
} from "react";
import { APPLICATIONS } from "../../monitoring/models/list_query.ts";
import { ALL } from "../data/filters.ts";
import { useFragment } from "../data/fragment.ts";
import {
  type Application,
  applicationLabels,
  fullLabel,
  joinLabels,
  type LabelParts,
  labelsByKey,
} from "../../monitoring/models/application_rows.ts";
import { useApplications } from "../data/lists.ts";
import { type NamedValue, RowValues } from "../kit/ValueLinks.tsx";

type Label = readonly [parts: LabelParts, values: readonly NamedValue[]];

const Labels = createContext<ReadonlyMap<string, Label> | undefined>(undefined);

/** What queries know of an application. */
export const valuesOf = ({ name, environment }: Application): readonly NamedValue[] => [
  ["application", name],
  ...environment === null ? [] : [["environment", environment] as const],
];

/** Gives the rows of a list the labels of their applications, unless all of them are from one application. */
export function ApplicationLabels({ children }: {
  children: ReactNode;
}) {
  const { params } = useFragment();
  const rows = useApplications()?.rows;
  const chosen = params.get("application") ?? APPLICATIONS;
  const shown = chosen === ALL
    ? rows
    : chosen === APPLICATIONS
    ? rows?.filter(({ environment }) => environment !== null)
    : undefined;
  const entries = rows !== undefined && shown !== undefined && shown.length > 1
    ? JSON.stringify(
      [...applicationLabels(rows)].map(([key, label], n) => [key, [label, valuesOf(rows[n]!)]]),
    )
    : undefined;
  // The same map as long as the labels are the same: the counts change all the time, and rows need not.
  const labels = useMemo(
    () => entries === undefined ? undefined : new Map<string, Label>(JSON.parse(entries)),
    [entries],
  );
  return <Labels value={labels}>{children}</Labels>;
}

/** Of an envelope that names no application, and that may be of several or of none. */
const NOT_NAMED: Label = [["not named", ""], []];

/**
 * Tiles of a row's applications, the label of the first one, and how many others there are; nothing if the list has rows
 * of one application only.
 */
export function ApplicationLabel({ of }: { of: readonly (string | null)[] }) {
  const labels = useContext(Labels);
  if (labels === undefined) return null;
  const found = of.map((key) => key === null ? NOT_NAMED : labels.get(key))
    .filter((label) => label !== undefined);
  if (found.length === 0) return null;
  const parts = found.map(([parts]) => parts);
  return (
    <RowValues values={found.flatMap(([, values]) => values)}>
      <span className="row-application small quiet" title={`Sent by: ${joinLabels(parts)}`}>
        {[...new Set(parts.map(([name]) => name))].map((name) => (
          <Fragment key={name}>
            <ApplicationTile name={name} />
            {" "}
          </Fragment>
        ))}
        <span className="first-sender">
          {joinLabels(parts.slice(0, 1))}
          {parts.length > 1 && ` +${parts.length - 1}`}
        </span>
      </span>
    </RowValues>
  );
}

/** Whether the rows of the list show their applications. */
export function useShowsApplications(): boolean {
  const labels = useContext(Labels);
  return labels !== undefined;
}

/**
 * Tile and label of the application that sent something; of several the first one, and how many others there are.
 *
 * @param props.isShort what distinguishes it from the others alone
 */
export function SentBy({ keys, isShort }: { keys: readonly string[]; isShort?: boolean }) {
  const list = useApplications();
  const rows = list?.rows ?? [];
  const labels = isShort
    ? labelsByKey(rows)
    : new Map(rows.map((row) => [row.key, fullLabel(row)]));
  const [first, ...others] = keys.map((key) => labels.get(key)).filter((label) =>
    label !== undefined
  );
  if (first === undefined) return null;
  return (
    <span className={isShort ? "beside quiet" : "beside"} title={[first, ...others].join(" + ")}>
      <ApplicationTile name={first} />
      <span className="one-line">{first}</span>
      {others.length > 0 && <small>+{others.length}</small>}
    </span>
  );
}

/**
 * Two letters on a colour, by which a reader finds an application again. Hidden from screen readers.
 *
 * @param props.name or its label, with an environment
 */
export function ApplicationTile({ name: label }: { name: string }) {
  const name = label.replace(/ \(.*\)$/, "");
  // Applications of one product have the same first word: "shop-web", "shop-worker".
  const letters = (name.split(/[^\p{L}\p{N}]+/u).findLast(Boolean) ?? name).slice(0, 2);
  const style = { "--tint": `var(--${tintOf(name)})` } as CSSProperties;
  return <i className="tile" style={style} aria-hidden="true">{letters}</i>;
}

/** Colours in tokens.css. */
const TINTS = ["flows", "server", "http", "waits", "database", "rendering"] as const;

function tintOf(name: string) {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + character.codePointAt(0)!) % 9973;
  return TINTS[hash % TINTS.length];
}
