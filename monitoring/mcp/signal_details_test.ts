import assert from "node:assert/strict";
import { Inbox } from "../inbox/inbox.ts";
import { admitted, envelopeOf, hexId } from "../inbox/testdata/envelopes.ts";
import { profiledSession, profiledTransaction } from "../../tests/harness/browser/profiles.ts";
import { getProfile } from "./signal_details.ts";

const START = 1_790_000_000;
const sdk = { sdk: { name: "sentry.javascript.node" } };

Deno.test("get_profile → main function, functions, spans; of a span; of none", async () => {
  const inbox = new Inbox({ maxBytes: 1e6 });
  using _closed = { [Symbol.dispose]: () => inbox.close() };
  const at = (START + 60) * 1_000;
  await inbox.store(admitted(envelopeOf(sdk, ...profiledTransaction(1, START)), at));
  await inbox.store(admitted(envelopeOf(sdk, ...profiledSession(9, 2, START)), at));
  await inbox.store(admitted(envelopeOf(sdk, ...profiledSession(9, 3, START + 5)), at));
  const mapOrigins = { configured: [], fetchable: [] };
  const reader = { inbox, mapOrigins, health: () => Promise.reject() };
  const get = async (input: Parameters<typeof getProfile>[0]) =>
    // deno-lint-ignore no-explicit-any -- JSON of the tool
    (await getProfile(input, reader)).data as any;

  const whole = await get({ profile_id: hexId(1_001) });
  assert.equal(whole.name, "GET /api/report");
  assert.deepEqual([whole.samples, whole.interval_ms, whole.in_functions_ms], [36, 10, 360]);
  assert.deepEqual([whole.duration_ms, whole.without_samples_ms], [364, 0]);
  const slow = { function: "compareSlowly", where: "/srv/shop/services/api.mjs", own: true };
  assert.deepEqual(whole.main_function, { ...slow, self_ms: 30, total_ms: 200 });
  assert.equal(whole.functions[0].function, "localeCompare");
  assert.deepEqual(whole.spans.map(({ name }: { name: string }) => name), [
    "GET /api/report",
    "render report",
  ]);

  const asked = { trace_id: hexId(3), span_id: "3".padStart(16, "c") };
  const part = await get({ profile_id: hexId(9), ...asked });
  assert.deepEqual([part.name, part.samples, part.spans[0].thread], [
    "GET /api/report/3",
    36,
    "main",
  ]);
  assert.equal((await get({ profile_id: hexId(9) })).samples, 72);
  await assert.rejects(get({ profile_id: hexId(4) }), /No profile/);
  await assert.rejects(get({ profile_id: "x" }), /32 hexadecimal digits/);
  await assert.rejects(get({ profile_id: hexId(9), span_id: "1" }), /its trace_id/);
  await assert.rejects(get({ profile_id: hexId(9), ...asked, span_id: "1" }), /no span/);
});
