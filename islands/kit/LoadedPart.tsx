import { type ComponentType, type ReactNode, useEffect, useState } from "react";
import { ReadFailure } from "../../components/ReadFailure.tsx";

/**
 * A part of the page whose code is loaded when it is shown first; if it did not load, a button to try again.
 * `React.lazy` keeps a failure.
 */
export function LoadedPart<Props extends object>({ load, isShown = true, props, loading }: {
  load: () => Promise<ComponentType<Props>>;
  isShown?: boolean;
  props: Props;
  loading: ReactNode;
}) {
  const [Content, setContent] = useState<ComponentType<Props>>();
  const [failure, setFailure] = useState("");
  /** @returns whether it has loaded */
  const read = () =>
    load().then((Loaded) => {
      setContent(() => Loaded);
      return true;
    }, () => setFailure("This part of the page did not load."));
  useEffect(() => {
    if (isShown && !Content) read();
  }, [isShown]);
  // Chromium remembers that a module did not load until the page is loaded again, which needs the server.
  const tryAgain = async () => {
    if (await read()) return;
    const answer = await fetch(location.pathname, { method: "HEAD" }).catch(() => undefined);
    if (answer?.ok) location.reload();
    else setFailure("This part of the page did not load. The server does not answer.");
  };
  if (Content) return <Content {...props} />;
  return failure === "" ? loading : <ReadFailure message={failure} retry={tryAgain} />;
}
