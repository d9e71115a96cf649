/**
 * A control that makes one signal.
 *
 * @param props.note a detail at its end; not part of the name that assistive technology reads
 * @param props.autoFocus takes the focus when it comes back in place of what had it
 */
export function SignalButton({ name, note, autoFocus, onClick }: {
  name: string;
  note?: string;
  autoFocus?: boolean;
  onClick: () => void;
}) {
  return (
    <button type="button" autoFocus={autoFocus} onClick={onClick}>
      {name}
      {note && <small aria-hidden="true">{note}</small>}
    </button>
  );
}
