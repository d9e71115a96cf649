/** A new folder of a test, with everything in it deleted at the end. */
export function temporaryFolder() {
  const path = Deno.makeTempDirSync({ prefix: "sightglass-" });
  return { path, [Symbol.dispose]: () => Deno.removeSync(path, { recursive: true }) };
}
