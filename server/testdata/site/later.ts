export function later(script: string): void {
  document.documentElement.dataset.later = script;
}
