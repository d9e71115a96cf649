import { type ReactNode, type RefObject, useState } from "react";
import { sharedName, withValue } from "../../monitoring/models/query/query.ts";
import { fragmentTo, linkTo, useFragment } from "../data/fragment.ts";
import { useView } from "../data/view.ts";
import { isRelay } from "../data/read.ts";
import { isShown, useStepKeys } from "./use_keys.ts";

export type NamedValue = readonly [name: string, value: unknown];

/** The lists that are searched for any attribute, and others for a field. */
const SEARCHED = ["traces", "logs", "errors"] as const;
/** A map: a sender may name an attribute "constructor". */
const FIELDS = new Map<string, readonly string[]>([
  ...["op", "status", "type"].map((name) => [name, []] as const),
  ["level", ["logs", "errors"]],
  // In traces it is the name of a span; logs have none.
  ["transaction", ["traces", "errors"]],
  // Errors alone have these contexts as one value.
  ...["browser", "os", "runtime", "device"].map((name) => [name, []] as const),
]);
/** What an attribute of logs is called in other views, as not all senders name it; what errors alone have as fields. */
const FACTS = new Map([["sentry.release", "release"], ["sentry.environment", "environment"]]);
const ERROR_FIELDS = new Map([["exception.type", "type"], ["exception.message", "message"]]);

/**
 * Links to the rows of a view that have a value, and to those that have not: they add to the query of the address. And to
 * the rows of other views that have it.
 *
 * @param props.name of the field or attribute
 */
export function ValueLinks({ name, value }: { name: string; value: unknown }) {
  const { id: view } = useView();
  const { params } = useFragment();
  const hrefOf = (isExcluded: boolean) => {
    const q = withValue(params.get("q") ?? "", name, value, isExcluded);
    return q && fragmentTo(view, [], { ...Object.fromEntries(params), span: undefined, q });
  };
  const only = hrefOf(false);
  if (only === undefined) return null;
  // A level in a query is the least one.
  const [shown, hidden] = name === "level"
    ? ["At least this", "Below this"]
    : ["Only this", "Not this"];
  const others = view === "recordings" ? [] : FIELDS.get(name) ?? SEARCHED;
  return (
    <span className="value-links">
      <a href={only}>{shown}</a> <a href={hrefOf(true)}>{hidden}</a>
      {others.filter((other) => other !== view).map((other) => {
        // An error of OpenTelemetry has the attributes of its resource as a context.
        const named = view === "errors" ? name.replace(/^resource\./, "") : name;
        const isHost = named === "host.name" && other === "traces";
        const shared = isHost ? named : FACTS.get(name) ?? sharedName(named);
        // Of a span it is the host that was asked, of errors and logs their own.
        const isAsked = shared === "server" && named !== "host.name";
        if (isAsked && [view, other].includes("traces")) return null;
        const there = other === "errors" ? ERROR_FIELDS.get(name) ?? shared : shared;
        // Errors have no other names of this kind.
        if (other === "errors" && /^sentry\.(?!replay_id$)/.test(there)) return null;
        const query = other === "traces" && name === "transaction"
          ? { name: String(value) }
          : { q: withValue("", there, value, false, there !== named) };
        return (
          <a key={other} href={linkTo(other, [], query)}>
            {` In ${other}`}
          </a>
        );
      })}
    </span>
  );
}

/** The values of a row that were clicked last. */
let clicked: { button?: HTMLButtonElement; values: readonly NamedValue[] } = { values: [] };

/** What shows values in a row: a click opens their links. The keys of {@linkcode useValueKeys} lead to it. */
export function RowValues({ values, children }: {
  values: readonly NamedValue[];
  children: ReactNode;
}) {
  const { id } = useView();
  if (isRelay || values.length === 0) return children;
  return (
    <button
      type="button"
      className="bare row-values"
      popoverTarget={`values-${id}`}
      tabIndex={-1}
      title={textOf(values)}
      onClick={({ currentTarget: button }) => {
        // Then the browser toggles the menu, also of another button.
        if (button !== clicked.button) (button.popoverTargetElement as HTMLElement).hidePopover();
        clicked = { button, values };
      }}
    >
      {children}
    </button>
  );
}

const textOf = (values: readonly NamedValue[]) =>
  [...new Set(values.map(([name, value]) => `${name}: ${value}`))].join(", ");

/** The menu of all {@linkcode RowValues} of a list: one for each of them would make scrolling slow. */
export function ValueMenu() {
  const { id } = useView();
  const [values, setValues] = useState(clicked.values);
  const named = new Map(values.map((value) => [textOf([value]), value]));
  return (
    <div
      id={`values-${id}`}
      popover="auto"
      role="group"
      aria-label={textOf(values)}
      className="menu"
      onBeforeToggle={({ newState }) => newState === "open" && setValues(clicked.values)}
    >
      {[...named].map(([text, [name, value]]) => (
        <div
          key={text}
          onClick={({ currentTarget }) => currentTarget.parentElement!.hidePopover()}
        >
          <div className="one-line" title={text}>{text}</div>
          <ValueLinks name={name} value={value} />
        </div>
      ))}
    </div>
  );
}

/** The keys f and F move the focus through the values and links of the row that has it. */
export function useValueKeys(list: RefObject<HTMLElement | null>): void {
  useStepKeys(["fF"], (by) => {
    const row = document.activeElement?.closest("tr");
    if (!row || !list.current?.contains(row)) return false;
    const stops = [...row.querySelectorAll<HTMLElement>("a, button")].filter(isShown);
    const at = stops.indexOf(document.activeElement as HTMLElement);
    stops.at((at + by) % stops.length)!.focus();
    return true;
  });
}
