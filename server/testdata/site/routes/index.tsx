import { Island, slot } from "../../../page.tsx";
import Counter from "../islands/Counter.tsx";

export default function Page({ variant }: { variant: string }) {
  return (
    <main>
      <title>Fixture</title>
      <h1>Variant {variant} at {slot("place")}</h1>
      <Island of={Counter} props={{ start: 3, label: slot("place") + "</script>" }} />
      <nav>
        <a href="/about">About</a> <a href="/">This page</a> <a href="/long">Long</a>{" "}
        <a href="/long#half">Half of it</a> <a href="/nowhere">Nowhere</a>{" "}
        <a href="/about" target="_blank">Another window</a>{" "}
        <a href="/note.txt" download="">A file</a>{" "}
        <a href="/about" rel="nofollow external">Theirs</a>
        <svg width="60" height="20" viewBox="0 0 60 20">
          <a href="/about">
            <text y="15">Drawn</text>
          </a>
        </svg>
      </nav>
    </main>
  );
}
