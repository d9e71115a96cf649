import { Island } from "../../../page.tsx";
import Counter from "../islands/Counter.tsx";

export default function About() {
  return (
    <main>
      <title>About</title>
      <h1>About</h1>
      <p>About, with no state of its own.</p>
      <Island of={Counter} props={{ start: 7, label: "about" }} />
      <noscript>
        <p>Scripts are off.</p>
      </noscript>
      <a href="/">Home</a> <a href="/long">Long</a>
    </main>
  );
}
