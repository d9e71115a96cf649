import { type ReactNode, useRef } from "react";

/**
 * A button that lets a person choose a file.
 *
 * @param props.name the chooser's own name, for those who find it without the button
 */
export function FileButton({ name, open, autoFocus, children }: {
  name: string;
  open: (file: File) => void;
  autoFocus?: boolean;
  children: ReactNode;
}) {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" autoFocus={autoFocus} onClick={() => chooser.current?.click()}>
        {children}
      </button>
      <input
        ref={chooser}
        type="file"
        hidden
        aria-label={name}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) open(file);
          // Chosen once more, it is read once more.
          target.value = "";
        }}
      />
    </>
  );
}
