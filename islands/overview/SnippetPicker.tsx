import { useId, useState } from "react";
import { CopyButton } from "../kit/CopyButton.tsx";
import { type InboxAddress, snippetsAt } from "./snippets.ts";
import { storeChoice, storedChoice } from "../data/stored_choice.ts";

/** In `localStorage`, for the id of the snippet that was chosen last. */
const CHOICE = "sightglass connect";

/** One snippet at a time; the choice is remembered. */
export function SnippetPicker({ address }: { address: InboxAddress }) {
  const [chosenId, setChosenId] = useState(() => storedChoice(CHOICE));
  // Another view has the same choice: their radio buttons are two groups.
  const name = useId();
  const snippets = snippetsAt(address);
  const { id: shownId, code, note } = snippets.find(({ id }) => id === chosenId) ?? snippets[0]!;
  const text = code(address);

  const choose = (id: string) => {
    setChosenId(id);
    storeChoice(CHOICE, id);
  };
  return (
    <div className="snippet card">
      <fieldset className="segmented line">
        <legend className="vh">Kind of application</legend>
        {snippets.map(({ id, name: title }) => (
          <label key={id}>
            <input
              type="radio"
              name={name}
              checked={id === shownId}
              onChange={() => choose(id)}
            />
            {title}
          </label>
        ))}
      </fieldset>
      {/* It may scroll, so the keyboard must reach it (WCAG 2.1.1). */}
      <pre tabIndex={0} role="region" aria-label="Code to copy">{text}</pre>
      <footer className="beside">
        <p className="quiet">{note}</p>
        <CopyButton text={() => text}>Copy code</CopyButton>
      </footer>
    </div>
  );
}
