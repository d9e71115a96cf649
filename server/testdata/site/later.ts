import { KINDS } from "./components/kinds.ts";

export function later(script: string): void {
  document.documentElement.dataset.later = `${script} ${KINDS.length}`;
}
