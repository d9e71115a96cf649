/** The real server, killed again and again under load, while its ingest is seldom well. */
import assert from "node:assert/strict";
import { CONCURRENT, IN_HAND } from "../../monitoring/spool/upstream_state.ts";
import { type ServerProcess, startServer } from "../../tools/server_process.ts";
import { FlakyIngest, type Life, MOODS, type Receipt } from "./_flaky_ingest.ts";
import { seededRandom } from "./_seeded_random.ts";

const KILLS = 50;
/** The longest life, in milliseconds from the moment it answers. */
const LIFE_MS = 350;
/** A mood of the ingest lasts at most this long. */
const MOOD_MS = 500;
/** Senders of events, and senders of recordings, whose segments have an order. */
const SENDERS = 6;
const RECORDERS = 2;
const RELAY_TIMEOUT_MS = 150;
/** A browser waits before it sends again; this one not as long. */
const RESEND_MS = 30;
const DSN = "https://key@o1.ingest.sentry.io/1";
/** Begins the ids of this test, so that what the server sends of its own is known. */
const MINE = "c4a54";

/** What a sender knows of one envelope. */
interface Sent {
  readonly id: string;
  readonly body: string;
  attempts: number;
  /** The outcome with which it was acknowledged, and by whom. */
  acknowledged?: { readonly outcome: string; readonly life: Life; readonly receiptsBefore: number };
}

Deno.test(`the server is killed ${KILLS} times under load: every acknowledged envelope arrives whole, and each double delivery has a reason`, async () => {
  const seed = Number(Deno.env.get("CRASH_SEED") ?? crypto.getRandomValues(new Uint32Array(1))[0]);
  console.log(`CRASH_SEED=${seed} draws the same lives, moods and envelopes again`);
  const random = seededRandom(seed);
  const dataDir = await Deno.makeTempDir({ prefix: "crash-" });
  await using ingest = new FlakyIngest((text) =>
    new RegExp(`^{"event_id":"(${MINE}[0-9a-f]+)".*?"n":(\\d+)`).exec(text)?.slice(1).join(".")
  );
  const start = () =>
    startServer({
      dataDir,
      env: {
        SENTRY_DSN: DSN,
        RELAY_UPSTREAM: ingest.origin,
        RELAY_TIMEOUT_MS: `${RELAY_TIMEOUT_MS}`,
      },
    });

  const all: Sent[] = [];
  let server: ServerProcess | undefined;
  let up = Promise.withResolvers<void>();
  let ending = false;

  const sendUntilAcknowledged = async (sent: Sent) => {
    all.push(sent);
    while (!sent.acknowledged) {
      if (!server) await up.promise;
      const { life } = ingest;
      sent.attempts++;
      try {
        const response = await fetch(`${server?.origin}/monitoring`, {
          method: "POST",
          body: sent.body,
        });
        if (response.ok) {
          const outcome = response.headers.get("x-relay-outcome") ?? "none";
          sent.acknowledged = { outcome, life, receiptsBefore: ingest.receipts.length };
        }
        await response.body?.cancel();
      } catch {
        // The server was killed: this envelope is still its sender's.
      }
      if (!sent.acknowledged) await pause(RESEND_MS);
    }
  };
  const senders = Array.from({ length: SENDERS + RECORDERS }, async (_, sender) => {
    const isRecorder = sender >= SENDERS;
    for (let n = 0; !ending; n++) {
      const id = MINE + (sender * 1e6 + (isRecorder ? 0 : n)).toString(16).padStart(27, "0");
      const bytes = random() < 0.9 ? 200 + random() * 2_000 : 20_000 + random() * 80_000;
      const payload = "x".repeat(Math.floor(bytes));
      const type = isRecorder ? "replay_recording" : "event";
      const header = JSON.stringify({ event_id: id, dsn: DSN, n });
      const item = JSON.stringify({ type, length: payload.length });
      const body = `${header}\n${item}\n${payload}\n`;
      await sendUntilAcknowledged({ id: `${id}.${n}`, body, attempts: 0 });
    }
  });
  const moody = (async () => {
    const moods = Object.keys(MOODS);
    for (let at = 0; !ending; at++) {
      // Half of the time it is well, or nothing would ever be delivered.
      const mood = at % 2 === 0 ? "takes" : moods[Math.floor(random() * moods.length)]!;
      await ingest.turn(mood);
      await pause(random() * MOOD_MS);
    }
    await ingest.turn("takes");
  })();

  try {
    for (let kill = 0; kill < KILLS; kill++) {
      const life = { number: kill + 1, isOver: false };
      ingest.life = life;
      const running = await start();
      server = running;
      up.resolve();
      await pause(random() * LIFE_MS);
      up = Promise.withResolvers();
      server = undefined;
      life.isOver = true;
      assert.equal((await running.stop("SIGKILL")).signal, "SIGKILL");
      await ingest.quiet();
    }
    ending = true;
    await moody;
    ingest.life = { number: KILLS + 1, isOver: false };
    const unacknowledged = all.filter((sent) => !sent.acknowledged).length;
    server = await start();
    up.resolve();
    await Promise.all(senders);
    for (;;) {
      const { spool } = await (await fetch(`${server.origin}/monitoring`)).json();
      if (spool.pending === 0) break;
      await pause(50);
    }

    const wrong = judge(all, ingest.receipts);
    const doubles = doubleDeliveries(ingest.receipts);
    const byOutcome = Object.groupBy(all, ({ acknowledged }) => acknowledged?.outcome ?? "none");
    const count = (outcome: string) => byOutcome[outcome]?.length ?? 0;
    const resent = all.filter(({ attempts }) => attempts > 1).length;
    console.log(
      `${KILLS} kills, ${all.length} envelopes (${unacknowledged} with their senders after the last` +
        ` kill, ${resent} resent): acknowledged as delivered ${count("delivered")}, spooled` +
        ` ${count("spooled")}, duplicate ${count("duplicate")}; taken twice or more ` +
        JSON.stringify(tally(doubles)),
    );
    assert.deepEqual(wrong, []);
    assert.deepEqual(doubles.filter(({ reason }) => reason === undefined), []);
    // A kill explains what was on its way at that moment, no more.
    const perKill = Object.groupBy(
      doubles.filter(({ reason }) => reason === "kill"),
      ({ life }) => life.number,
    );
    for (const [life, explained = []] of Object.entries(perKill)) {
      const onTheirWay = CONCURRENT + IN_HAND + SENDERS + RECORDERS;
      assert.ok(explained.length <= onTheirWay, `life ${life}: ${explained.length}`);
    }
    assert.ok(count("delivered") > 0 && count("spooled") > 0 && resent > 0);
  } finally {
    ending = true;
    await server?.stop("SIGKILL");
    await Deno.remove(dataDir, { recursive: true });
  }
});

/** What must hold of each envelope, and does not; a sentence for each. */
function judge(all: readonly Sent[], receipts: readonly Receipt[]): string[] {
  const wrong: string[] = [];
  const byId = Object.groupBy(receipts, ({ id }) => id);
  const firstTaken = new Map(
    receipts.toReversed().flatMap((receipt, fromEnd) =>
      receipt.taken ? [[receipt.id, receipts.length - fromEnd]] : []
    ),
  );
  for (const { id, body, acknowledged } of all) {
    const own = byId[id] ?? [];
    if (!acknowledged) wrong.push(`${id} was never acknowledged`);
    if (!firstTaken.has(id)) wrong.push(`${id} was ${acknowledged?.outcome} and never taken`);
    if (own.some(({ text }) => text !== body)) wrong.push(`${id} came otherwise than it was sent`);
    if (acknowledged?.outcome !== "delivered") continue;
    const before = receipts.slice(0, acknowledged.receiptsBefore);
    if (!before.some((receipt) => receipt.id === id && receipt.taken)) {
      wrong.push(`${id} was acknowledged as delivered before the ingest took it`);
    }
    const later = receipts.slice(acknowledged.receiptsBefore);
    if (later.some((receipt) => receipt.id === id)) {
      wrong.push(`${id} was sent upstream again after it was acknowledged as delivered`);
    }
  }
  const recordings = Object.groupBy(all, ({ id }) => id.split(".")[0]!);
  for (const segments of Object.values(recordings)) {
    const order = segments?.map(({ id }) => firstTaken.get(id) ?? NaN) ?? [];
    const at = order.findIndex((place, n) => n > 0 && place < order[n - 1]!);
    if (at >= 0) wrong.push(`${segments?.[at]?.id} was taken before the segment before it`);
  }
  return wrong;
}

interface DoubleDelivery {
  readonly id: string;
  readonly life: Life;
  /**
   * `answer`: the ingest took it and did not say so well. `kill`: it was killed before it could record
   * or acknowledge what the ingest said; one kill is a reason for one more delivery of an envelope.
   */
  readonly reason: "answer" | "kill" | undefined;
}

/** Each taking of an envelope that another receipt of it followed. */
function doubleDeliveries(receipts: readonly Receipt[]): DoubleDelivery[] {
  return Object.values(Object.groupBy(receipts, ({ id }) => id)).flatMap((own = []) =>
    own.slice(0, -1).flatMap((receipt, at) => {
      if (!receipt.taken) return [];
      const { id, life } = receipt;
      const next = own[at + 1]!;
      const killed = life !== next.life && life.isOver;
      return [{ id, life, reason: killed ? "kill" : receipt.answeredWell ? undefined : "answer" }];
    })
  );
}

function tally(doubles: readonly DoubleDelivery[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { reason = "none" } of doubles) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
