import type { SourceLines } from "../../monitoring/models/error/stack.ts";

/** Lines of a source with their numbers; the frame's own is marked, for the eye and in words. */
export function SourceExcerpt({ source }: { source: SourceLines }) {
  const { first, lines, marked } = source;
  return (
    // It scrolls where lines are long, so the keyboard must reach it (WCAG 2.1.1).
    <pre className="excerpt" tabIndex={0} role="group" aria-label="Source">
      {lines.map((line, index) => {
        const number = first === null ? "" : first + index;
        return index === marked
          ? <mark key={index} data-line={number}>{`${line}\n`}</mark>
          : <span key={index} data-line={number}>{`${line}\n`}</span>;
      })}
    </pre>
  );
}
