import type { Circumstances, RefusalDetails } from "./proof_evidence.ts";

/*
 * Requests and checks after a step has failed, because a receipt alone does not tell the cause. None of them rejects.
 */

/** Maximum wait for each answer: a failing proof should not take much longer than a passing one. */
const TIMEOUT_MS = 10_000;

/** The database of the envelope store. Opening it without a version neither creates nor upgrades one that exists. */
const DATABASE = "envelopes";

/** Why the browser did not store an envelope: it refuses IndexedDB, or a write has failed. */
export async function diagnoseStorage(): Promise<NonNullable<Circumstances["storage"]>> {
  try {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(DATABASE);
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
      setTimeout(reject, TIMEOUT_MS, new DOMException("no answer", "TimeoutError"));
    });
    database.close();
    return { problem: "full" };
  } catch (error) {
    return { problem: "refused", detail: Object(error).name };
  }
}

/** Why the recorder's worker did not start: its script is loaded once more, and a violation of the policy is reported. */
export async function diagnoseWorker(): Promise<"csp" | "other"> {
  return await new Promise((resolve) => {
    const stop = new AbortController();
    const done = (cause: "csp" | "other") => {
      stop.abort();
      resolve(cause);
    };
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => {
      if (/^(worker|child|script)-src/.test(effectiveDirective)) done("csp");
    }, { signal: stop.signal });
    setTimeout(done, TIMEOUT_MS, "other");
    try {
      const worker = new Worker(import.meta.resolve("replay-worker"));
      worker.onmessage = () => {
        worker.terminate();
        done("other");
      };
    } catch (error) {
      // A violation is reported in a later task.
      if (Object(error).name !== "SecurityError") setTimeout(done, 100, "other");
    }
  });
}

/**
 * Whether the other end answers another request than a post of an envelope: the page's own server, else the ingest.
 *
 * @param address of the ingest that the browser sends to; undefined: it sends to the page's server
 */
export async function isReachable(address: string | undefined): Promise<boolean> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    await (address === undefined
      ? fetch(location.pathname, { method: "HEAD", cache: "no-store", signal })
      // Its answer cannot be read, but that there is one can.
      : fetch(address, { mode: "no-cors", cache: "no-store", signal }));
    return true;
  } catch {
    // Blocked, unreachable, or too slow: browsers do not report which.
    return false;
  }
}

/** Posts a refused envelope once more to get the relay's error code: receipts have only its message. */
export async function repeatRefusedPost(route: string, bytes: Uint8Array): Promise<RefusalDetails> {
  try {
    const response = await fetch(route, {
      method: "POST",
      headers: { "Content-Type": "application/x-sentry-envelope" },
      body: bytes as BodyInit,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const isOfRelay = response.headers.has("X-Relay-Outcome");
    const { error, detail } = Object(await response.json().catch(() => undefined));
    // An ingest's answer is passed on as it is: only the relay's has both.
    const isCode = typeof error === "string" && typeof detail === "string";
    return { isOfRelay, code: isCode ? error : undefined };
  } catch {
    // No answer this time.
    return { isOfRelay: false };
  }
}
