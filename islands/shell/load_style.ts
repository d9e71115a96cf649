/**
 * Loads the style sheet of a view (`islands/…/VIEW.css`) once, and waits for it, so that nothing is drawn without it.
 *
 * @throws {Error} it did not load
 */
export async function loadStyle(view: string): Promise<void> {
  let href: string;
  try {
    href = import.meta.resolve(`${view}.css`);
  } catch {
    // The view has none.
    return;
  }
  const links = [...document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")];
  if (links.some((link) => link.href === href && link.sheet)) return;
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
  await new Promise((resolve, reject) => {
    link.onload = resolve;
    link.onerror = () => {
      link.remove();
      reject(new Error(`The styles of ${view} did not load.`));
    };
    document.head.append(link);
  });
}
