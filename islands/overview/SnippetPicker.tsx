import { useEffect, useState } from "react";
import { CopyButton } from "../shared/CopyButton.tsx";
import { type InboxAddress, snippetsAt } from "./snippets.ts";
import { storeChoice, storedChoice } from "../shared/stored_choice.ts";

/** In `localStorage`, for the id of the snippet that was chosen last. */
const CHOICE = "sightglass connect";

/** One snippet at a time; the choice is remembered. */
export function SnippetPicker({ address, disabled }: { address: InboxAddress; disabled: boolean }) {
  const [chosenId, setChosenId] = useState<string>();
  const snippets = snippetsAt(address);
  const { id: shownId, code, note } = snippets.find(({ id }) => id === chosenId) ?? snippets[0]!;
  useEffect(() => setChosenId(storedChoice(CHOICE)), []);
  const text = code(address);

  const choose = (id: string) => {
    setChosenId(id);
    storeChoice(CHOICE, id);
  };
  return (
    <>
      <fieldset className="segments" disabled={disabled}>
        <legend className="vh">Kind of application</legend>
        {snippets.map(({ id, name }) => (
          <label key={id}>
            <input
              type="radio"
              name="snippet"
              checked={id === shownId}
              onChange={() => choose(id)}
            />
            {name}
          </label>
        ))}
      </fieldset>
      <div className="snippet">
        {/* It may scroll, so the keyboard must reach it (WCAG 2.1.1). */}
        <pre tabIndex={0} role="region" aria-label="Code to copy">{text}</pre>
        <div>
          <CopyButton text={() => text} small disabled={disabled}>Copy code</CopyButton>
          <p>{note}</p>
        </div>
      </div>
    </>
  );
}
