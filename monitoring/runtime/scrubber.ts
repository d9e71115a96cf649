import type { Event, StackFrame } from "@sentry/core";

const USER = /(:\/\/)[^\s/?#"<>]*@/g;
/** URLs and paths in a text, with query and fragment; a slash within a word starts none. Linear time for any text. */
const QUERY =
  /((?:(?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/|(?<![\w/:.])\/)[^\s?#"<>]*)(?:[?#][^\s"<>]*)?/gi;

/** Removes from reports what must not leave the server: the project's local path, users, queries, thrown objects. */
export class Scrubber {
  readonly #root: string;
  readonly #folder: string;

  constructor(root: string) {
    this.#root = root;
    // Stacks and messages of the runtime also name files without a scheme.
    this.#folder = decodeURIComponent(new URL(root).pathname);
  }

  /** Removes user, query and fragment of URLs, and names the project's folder `app:///`. */
  text(text: string): string {
    return text.replaceAll(this.#root, "app:///").replaceAll(this.#folder, "app:///")
      .replace(USER, "$1").replace(QUERY, "$1");
  }

  /** A module's file name: its path for files of the project, else only the last part. */
  file(name: string): string {
    const path = this.text(name);
    if (path.startsWith("app:///") || /^(?:ext|node):/.test(path)) return path;
    return path.slice(path.lastIndexOf("/") + 1);
  }

  /** Removes host name, user, request, breadcrumbs and extra data of an event, in place, and scrubs the texts that stay. */
  event(event: Event): void {
    const removed = ["server_name", "user", "request", "breadcrumbs"] as const;
    for (const name of removed) delete event[name];
    if (event.message !== undefined) event.message = this.text(event.message);
    const thrown = event.extra?.__serialized__;
    delete event.extra;
    for (const exception of event.exception?.values ?? []) {
      // Keys only: the values of a thrown plain object may be personal data.
      if (thrown && exception.mechanism?.synthetic) {
        const keys = Object.keys(Object(thrown)).join(", ");
        exception.value = `Object captured as exception with keys: ${keys}`;
      }
      if (exception.value !== undefined) exception.value = this.text(exception.value);
      for (const frame of exception.stacktrace?.frames ?? []) this.#frame(frame);
    }
  }

  /** Attributes whose texts are scrubbed; arrays stay as they are. */
  attributes<T extends Record<string, unknown>>(attributes: T): T {
    const scrub = (value: unknown) => typeof value === "string" ? this.text(value) : value;
    const entries = Object.entries(attributes).map(([name, value]) => [name, scrub(value)]);
    return Object.fromEntries(entries) as T;
  }

  #frame(frame: StackFrame): void {
    if (frame.filename !== undefined) frame.filename = this.file(frame.filename);
    if (frame.abs_path !== undefined) frame.abs_path = this.file(frame.abs_path);
    if (frame.module !== undefined) frame.module = this.text(frame.module);
  }
}
