import type { SignalKind } from "../consent.ts";
import { type Allows, consentedPart, kindOf } from "./consented.ts";
import type { EnvelopeMeta, StoredEnvelope } from "./envelope.ts";
import type { EnvelopeStore } from "./envelope_store.ts";
import { PAGE_ENDED } from "./journal_entry.ts";
import { lossesOf } from "./loss_counter.ts";
import { withTabLock } from "./tab_lock.ts";

export interface WithdrawalOptions {
  readonly store: Promise<EnvelopeStore>;
  /** What consent covers. */
  readonly allows: Allows;
  /** Called with the number of items that are deleted because they were withdrawn. They do not count as lost. */
  readonly onWithdrawn: (kind: SignalKind, items: number) => void;
}

/** Deletes what consent no longer covers, and counts it once, whichever tab deletes it. */
export class Withdrawal {
  readonly #options: WithdrawalOptions;
  /** Envelopes and kinds that were counted. */
  readonly #counted = new Set<string>();

  constructor(options: WithdrawalOptions) {
    this.#options = options;
  }

  /** Counts what consent does not cover of an envelope. */
  count({ id, items, createdAt }: EnvelopeMeta): void {
    for (const { category, quantity } of lossesOf(items, PAGE_ENDED)) {
      const kind = kindOf(category);
      const key = id + kind;
      if (this.#options.allows(kind, createdAt) || this.#counted.has(key)) continue;
      this.#counted.add(key);
      this.#options.onWithdrawn(kind, quantity);
    }
  }

  /** Deletes from the store what consent does not cover of an envelope. Returns the rest, unless a tab sends it. */
  async deleteStored(meta: EnvelopeMeta): Promise<EnvelopeMeta | undefined> {
    this.count(meta);
    const store = await this.#options.store;
    let rest: StoredEnvelope | undefined;
    await withTabLock(meta.id, async () => {
      const bytes = await store.read(meta.id);
      rest = bytes && consentedPart({ meta, bytes }, this.#options.allows);
      await (rest ? store.put(rest) : store.delete(meta.id));
    }).catch(() => {
      // A later page deletes it, and does not send it before.
    });
    return rest?.meta;
  }
}
