import { createRequire } from "node:module";

/** The specifiers that all browser code shares through the import map. */
export const VENDOR_SPECIFIERS = ["react", "react/jsx-runtime", "react-dom", "react-dom/client"];

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/**
 * The source of the one ES module that stands for React in the browser. React is published as
 * CommonJS, whose names a browser cannot know; here they are written out. One module for all four
 * specifiers, because each further file costs the page a request, and because they compress better
 * together: the names that two of them share are the same value (checked here), and its default
 * export has the names of all.
 */
export function vendorSource(): string {
  const require = createRequire(import.meta.url);
  const lines: string[] = [];
  const seen = new Map<string, unknown>();
  for (const [index, specifier] of VENDOR_SPECIFIERS.entries()) {
    const exported: Record<string, unknown> = require(specifier);
    const names: string[] = [];
    for (const name of Object.keys(exported).filter((key) => IDENTIFIER.test(key)).sort()) {
      if (!seen.has(name)) names.push(name);
      else if (seen.get(name) !== exported[name]) {
        throw new Error(
          `Cannot share one module: ${specifier} has another \`${name}\` than before.`,
        );
      }
      seen.set(name, exported[name]);
    }
    lines.push(`import m${index} from ${JSON.stringify(specifier)};`);
    lines.push(`export const { ${names.join(", ")} } = m${index};`);
  }
  if (seen.has("act")) {
    throw new Error("React was loaded before NODE_ENV was set: import build/production.ts first.");
  }
  const all = VENDOR_SPECIFIERS.map((_, index) => `m${index}`).join(", ");
  lines.push(`export default Object.assign({}, ${all});`);
  return lines.join("\n");
}
