/** The project cannot be built. The message states the reason for its developer. */
export class BuildError extends Error {
  override readonly name = "BuildError";
}
