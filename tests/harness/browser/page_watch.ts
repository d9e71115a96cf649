import type { BrowserContext } from "@playwright/test";

/** An error that fails the test unless it is allowed. */
interface Problem {
  /** `csp`: a violation of the Content Security Policy, Trusted Types included. */
  readonly kind: "console" | "csp" | "error";
  readonly text: string;
  /** The location that the browser reports. */
  readonly where: string;
}

/**
 * Watches all pages of a browser context for console errors, uncaught errors, unhandled rejections and
 * CSP violations. A test fails if there is one that it did not {@linkcode PageWatch.allow}.
 */
export class PageWatch {
  /** All of them, allowed or not, oldest first. */
  readonly problems: Problem[] = [];
  readonly #allowed: (string | RegExp)[] = [];

  constructor(context: BrowserContext) {
    context.on("console", (message) => {
      if (message.type() !== "error") return;
      const { url, lineNumber } = message.location();
      this.#add("console", message.text(), `${url}:${lineNumber}`);
    });
    context.on("weberror", (error) => {
      const { message, stack } = error.error();
      this.#add("error", message, stack ?? error.page()?.url() ?? "");
    });
  }

  #add(kind: Problem["kind"], text: string, where: string): void {
    this.problems.push({ kind: CSP.test(text) ? "csp" : kind, text, where });
  }

  /** Allows problems whose text contains or matches one of these, earlier ones included. */
  allow(...texts: readonly (string | RegExp)[]): void {
    this.#allowed.push(...texts);
  }

  /** The problems that no {@linkcode PageWatch.allow} covers. */
  get unexpected(): readonly Problem[] {
    return this.problems.filter(({ text }) =>
      !this.#allowed.some((allowed) =>
        typeof allowed === "string" ? text.includes(allowed) : allowed.test(text)
      )
    );
  }

  /** @throws if there are {@linkcode PageWatch.unexpected} problems, naming all of them */
  verify(): void {
    if (this.unexpected.length === 0) return;
    const lines = this.unexpected.map(({ kind, text, where }) => `  ${kind}: ${text} (${where})`);
    throw new Error(`The page had problems that the test did not allow:\n${lines.join("\n")}`);
  }
}

/** Chromium's messages for violations of CSP and Trusted Types. */
const CSP = /Content Security Policy|requires 'Trusted(HTML|Script|ScriptURL)' assignment/i;
