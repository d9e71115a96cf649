/**
 * Asks before an action that cannot be undone. The button that cancels takes the focus.
 *
 * @param props.action label of the button that confirms
 * @param props.isBusy the action is running
 */
export function Confirmation({ action, question, isBusy, confirm, cancel }: {
  action: string;
  question: string;
  isBusy?: boolean;
  confirm: () => void;
  cancel: () => void;
}) {
  return (
    <div className="line" role="group" aria-label={`${action}?`}>
      <span>{question}</span>
      <button type="button" className="danger" disabled={isBusy} onClick={confirm}>{action}</button>
      <button type="button" autoFocus disabled={isBusy} onClick={cancel}>Cancel</button>
    </div>
  );
}
