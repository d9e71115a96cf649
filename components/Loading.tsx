/** What is being read. Shown only after a moment: most answers are there before. */
export function Loading({ what }: { what: string }) {
  return <p className="empty loading">{`Loading ${what}.`}</p>;
}
