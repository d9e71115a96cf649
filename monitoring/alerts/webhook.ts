import type { GroupAlert } from "../models/error/error_row.ts";
import { postJson } from "../post_json.ts";
import { isRetryable } from "../protocol/retry.ts";

export interface WebhookOptions {
  /** Receives the POST. It may contain a secret: it is never logged. */
  readonly url: string;
  /** The page's origin as browsers see it, for links. Default: no links. */
  readonly publicOrigin?: string;
  /** Server processes that divide {@linkcode MAX_GROUPS}. Default: 1. */
  readonly processes?: number;
  /** Called with the first failure after a success, for the log. */
  readonly onFailure: (reason: string) => void;
  /** Maximum wait for the response, in milliseconds. Default: {@linkcode TIMEOUT_MS}. */
  readonly timeoutMs?: number;
  /** Waits between the tries, in milliseconds. Default: {@linkcode BACKOFF_MS}. */
  readonly backoffMs?: readonly number[];
  readonly now?: () => number;
}

const TIMEOUT_MS = 5_000;
/** Three tries in all. */
const BACKOFF_MS = [1_000, 5_000];
/** A group that keeps coming back is reported at most once in this time. */
const GROUP_PAUSE_MS = 60_000;
/** Groups that are reported in {@linkcode GROUP_PAUSE_MS}: any sender can make new ones. */
const MAX_GROUPS = 30;
/** Alerts that wait. A failing application may make thousands of groups: the first ones are enough. */
const MAX_WAITING = 100;
/** Characters of a message. Chats cut at some thousands. */
const MAX_MESSAGE = 500;

/** Posts alerts to a webhook, one after the other. No call throws or waits. */
export class AlertWebhook {
  readonly #waiting: GroupAlert[] = [];
  /** When each group was last reported: those of the last {@linkcode GROUP_PAUSE_MS}, oldest first. */
  readonly #reportedAt = new Map<string, number>();
  readonly #closing = new AbortController();
  #isSending = false;
  #isFailing = false;

  constructor(readonly options: WebhookOptions) {}

  /** Queues an alert, unless its group or too many others were reported in the last minute, or too many wait. */
  send(alert: GroupAlert): void {
    const now = (this.options.now ?? Date.now)();
    for (const [group, at] of this.#reportedAt) {
      // A clock that was set back must not silence a group.
      if (at <= now && now - at < GROUP_PAUSE_MS) break;
      this.#reportedAt.delete(group);
    }
    const maxGroups = Math.ceil(MAX_GROUPS / (this.options.processes ?? 1));
    if (this.#reportedAt.has(alert.group) || this.#reportedAt.size >= maxGroups) return;
    if (this.#closing.signal.aborted || this.#waiting.length >= MAX_WAITING) return;
    this.#reportedAt.set(alert.group, now);
    this.#waiting.push(alert);
    if (!this.#isSending) void this.#sendAll();
  }

  close(): void {
    this.#waiting.length = 0;
    this.#closing.abort();
  }

  async #sendAll(): Promise<void> {
    const { url, timeoutMs = TIMEOUT_MS, backoffMs = BACKOFF_MS } = this.options;
    const { signal } = this.#closing;
    this.#isSending = true;
    for (let alert; (alert = this.#waiting.shift()) !== undefined;) {
      const outcome = await postJson(url, JSON.stringify(this.#bodyOf(alert)), {
        timeoutMs,
        backoffMs,
        mayRetry: (status) => isRetryable(status) || status === 429,
        read: async (response) => await response.body?.cancel(),
        signal,
      });
      if (signal.aborted) return;
      const failure = "failure" in outcome ? outcome.failure : undefined;
      if (failure !== undefined && !this.#isFailing) this.options.onFailure(failure);
      this.#isFailing = failure !== undefined;
    }
    this.#isSending = false;
  }

  /** Chats show `text`; the rest is nested because some, such as Mattermost, use top-level names like `type`. */
  #bodyOf(alert: GroupAlert): { readonly text: string; readonly alert: object } {
    const { publicOrigin } = this.options;
    const message = alert.message.slice(0, MAX_MESSAGE).toWellFormed();
    const link = publicOrigin === undefined ? null : `${publicOrigin}/#/errors/${alert.group}`;
    const { kind, type, release } = alert;
    const title = (kind === "new" ? "New error" : "Regression") +
      (release === null ? "" : ` in ${release}`);
    const sender = [alert.application, alert.environment].filter((one) => one !== null).join(", ");
    const text = `${title}: ${type}${message && `: ${message}`} (${sender})`;
    return {
      text: chatText(text) + (link === null ? "" : `\n${link}`),
      alert: { ...alert, message, link },
    };
  }
}

/**
 * Untrusted text for a chat. Attack: an error message with a mention, such as `<!channel>` of Slack
 * (https://docs.slack.dev/messaging/formatting-message-text/) or `@all`, would notify everyone.
 */
function chatText(text: string): string {
  const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
  return text.replace(/\s+/g, " ").replace(/[&<>]/g, (sign) => entities[sign]!)
    .replace(/\B@/g, "@\u200b");
}
