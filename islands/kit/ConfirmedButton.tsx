import { useState } from "react";

/**
 * The button of an action that cannot be undone, which asks first. The button that cancels takes the focus.
 *
 * @param props.action label of the button that confirms
 * @param props.close closes the menu that it is in, and with it the question
 */
export function ConfirmedButton({ label, action, question, disabled, act, close }: {
  label: string;
  action: string;
  question: string;
  disabled?: boolean;
  act: () => void;
  close: () => void;
}) {
  const [isAsking, setAsking] = useState(false);
  if (!isAsking) {
    return (
      <button
        type="button"
        className="danger"
        disabled={disabled}
        onClick={() => setAsking(true)}
      >
        {label}
      </button>
    );
  }
  const confirm = () => {
    close();
    act();
  };
  return (
    <div className="line" role="group" aria-label={`${action}?`}>
      <span>{question}</span>
      <button type="button" className="danger" onClick={confirm}>{action}</button>
      <button type="button" autoFocus onClick={close}>Cancel</button>
    </div>
  );
}
