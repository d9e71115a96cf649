import type { Event, StackFrame } from "@sentry/core";

/** Where the project's files are, so that they can be named without the machine's folders. */
export interface Roots {
  /** The project's folder as a `file:` URL, ending with `/`. */
  readonly root: string;
}

/** Whom an address logs in as, and with what. */
const USER = /(:\/\/)[^\s/?#"<>]*@/g;
/**
 * Addresses within a text, with their query and fragment if they have any; a slash within a word
 * begins none. What is looked at once is never looked at again: a text may be long, and made for that.
 */
const QUERY =
  /((?:(?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/|(?<![\w/:.])\/)[^\s?#"<>]*)(?:[?#][^\s"<>]*)?/gi;

/** Takes what must not leave the server out of what it reports. */
export class Scrubber {
  readonly #root: string;
  readonly #folder: string;

  constructor({ root }: Roots) {
    this.#root = root;
    // As stacks and messages of the runtime name files without their scheme.
    this.#folder = decodeURIComponent(new URL(root).pathname);
  }

  /** A text whose addresses have lost user, query and fragment, and whose files the machine's folders. */
  text(text: string): string {
    return text.replaceAll(this.#root, "app:///").replaceAll(this.#folder, "app:///")
      .replace(USER, "$1").replace(QUERY, "$1");
  }

  /** The name of a module's file: of the project's own its path, of all others the last part. */
  file(name: string): string {
    const path = this.text(name);
    if (path.startsWith("app:///") || /^(?:ext|node):/.test(path)) return path;
    return path.slice(path.lastIndexOf("/") + 1);
  }

  /**
   * Changes the event in place, as the last thing done to it. Removes what it holds of the machine,
   * of its user, of the request and of an object that was thrown.
   */
  event(event: Event): void {
    delete event.server_name;
    delete event.user;
    delete event.request;
    delete event.breadcrumbs;
    if (event.message !== undefined) event.message = this.text(event.message);
    const thrown = event.extra?.__serialized__;
    delete event.extra;
    for (const exception of event.exception?.values ?? []) {
      if (thrown && exception.mechanism?.synthetic) exception.value = keysOf(thrown);
      if (exception.value !== undefined) exception.value = this.text(exception.value);
      for (const frame of exception.stacktrace?.frames ?? []) this.#frame(frame);
    }
  }

  /** Texts among attributes. */
  attributes<T extends Record<string, unknown>>(attributes: T): T {
    return Object.fromEntries(
      Object.entries(attributes).map((
        [name, value],
      ) => [name, typeof value === "string" ? this.text(value) : value]),
    ) as T;
  }

  #frame(frame: StackFrame): void {
    if (frame.filename !== undefined) frame.filename = this.file(frame.filename);
    if (frame.abs_path !== undefined) frame.abs_path = this.file(frame.abs_path);
    if (frame.module !== undefined) frame.module = this.text(frame.module);
  }
}

/** The message for a thrown plain object: only its keys, because values may be personal data. */
function keysOf(thrown: unknown): string {
  return `Object captured as exception with keys: ${Object.keys(Object(thrown)).join(", ")}`;
}
