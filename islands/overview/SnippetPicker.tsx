import { useId, useState } from "react";
import { CopyButton } from "../kit/CopyButton.tsx";
import { type InboxAddress, snippetsAt } from "./snippets.ts";
import { storeChoice, storedChoice } from "../data/stored_choice.ts";

/** In `localStorage`, for the name of the snippet that was chosen last. */
const CHOICE = "sightglass connect";

/** One snippet at a time; the choice is remembered. */
export function SnippetPicker({ address }: { address: InboxAddress }) {
  const [chosen, setChosen] = useState(() => storedChoice(CHOICE));
  // Another view has the same choice: their radio buttons are two groups.
  const group = useId();
  const snippets = snippetsAt(address);
  const shown = snippets.find(({ name }) => name === chosen) ?? snippets[0]!;
  const text = shown.code(address);
  const choose = (name: string) => {
    setChosen(name);
    storeChoice(CHOICE, name);
  };
  return (
    <div className="snippet card">
      <fieldset className="segmented line">
        <legend className="vh">Kind of application</legend>
        {snippets.map(({ name }) => (
          <label key={name}>
            <input
              type="radio"
              name={group}
              checked={name === shown.name}
              onChange={() => choose(name)}
            />
            {name}
          </label>
        ))}
      </fieldset>
      {/* It may scroll, so the keyboard must reach it (WCAG 2.1.1). */}
      <pre tabIndex={0} role="region" aria-label="Code to copy">{text}</pre>
      <footer className="beside">
        <p className="quiet">{shown.note}</p>
        <CopyButton text={() => text}>Copy code</CopyButton>
      </footer>
    </div>
  );
}
