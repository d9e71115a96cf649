/** Milliseconds until a saved file's memory is given back: the browser has begun to read it by then. */
const REVOKE_MS = 60_000;

/** Has the browser save what stands at an address of this page, and gives `blob:` memory back. */
export function saveFile(href: string, name?: string): void {
  const link = document.createElement("a");
  link.href = href;
  link.download = name ?? "";
  link.click();
  if (href.startsWith("blob:")) setTimeout(() => URL.revokeObjectURL(href), REVOKE_MS);
}
