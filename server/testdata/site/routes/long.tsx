import { Island } from "../../../page.tsx";
import Counter from "../islands/Counter.tsx";

/** Higher than any window, with a fragment target in the middle. */
export default function Long() {
  return (
    <main>
      <title>Long</title>
      <h1>Long</h1>
      <a href="#half">Half way</a>
      <Lines />
      <h2 id="half">Half</h2>
      <Island of={Counter} props={{ start: 9, label: "half" }} />
      <a href="/">Home</a> <a href="/long">Again</a> <a href="/about">About</a>
      <Lines />
    </main>
  );
}

function Lines() {
  return <>{Array.from({ length: 100 }, (_, line) => <p key={line}>Line {line}</p>)}</>;
}
