import { SettledText } from "../shared/SettledText.tsx";

/**
 * Rows that arrived above those in sight, which do not move.
 *
 * @param props.text "3 new logs"; empty: none
 */
export function NewRows({ text, onShow }: { text: string; onShow: () => void }) {
  return (
    <>
      <p className="new-rows">
        {text !== "" && <button type="button" onClick={onShow}>Show {text}</button>}
      </p>
      <SettledText text={text && `${text}, not shown yet`} />
    </>
  );
}
