import assert from "node:assert/strict";
import { until } from "../../tests/harness/until.ts";
import type { GroupAlert } from "../models/error/error_row.ts";
import { AlertWebhook, type WebhookOptions } from "./webhook.ts";

const alertOf = (n: number, rest: Partial<GroupAlert> = {}): GroupAlert => ({
  kind: "new",
  group: `${n}`.padStart(14, "0"),
  type: "TypeError",
  message: `order ${n}`,
  release: "shop@1.4.2",
  environment: "test",
  application: "shop",
  ...rest,
});

/** A receiver of a webhook on a free port of loopback, and a webhook that posts to it. */
class Receiver implements AsyncDisposable {
  // deno-lint-ignore no-explicit-any -- JSON that each test checks
  readonly bodies: any[] = [];
  readonly failures: string[] = [];
  readonly webhook: AlertWebhook;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  now = 1_795_262_400_000;

  /** @param answer to the request with this number, from 1 */
  constructor(
    answer: (number: number, url: URL) => Response | Promise<Response>,
    options: Partial<WebhookOptions> = {},
  ) {
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      async (request) => {
        assert.equal(request.method, "POST");
        assert.equal(request.headers.get("content-type"), "application/json");
        this.bodies.push(await request.json());
        return answer(this.bodies.length, new URL(request.url));
      },
    );
    this.webhook = new AlertWebhook({
      url: `http://127.0.0.1:${this.#server.addr.port}/hooks/secret`,
      backoffMs: [1, 1],
      now: () => this.now,
      onFailure: (reason) => this.failures.push(reason),
      ...options,
    });
  }

  received(count: number): Promise<unknown> {
    return until(`${count} requests`, () => this.bodies.length >= count);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.webhook.close();
    await this.#server.shutdown();
  }
}

const ok = () => new Response("ok");

Deno.test("alert → one POST with text for chats and the facts", async () => {
  await using receiver = new Receiver(ok, { publicOrigin: "https://sight.example" });
  receiver.webhook.send(alertOf(1, { kind: "regression", message: "<!channel>\n@all & so on" }));
  await receiver.received(1);
  const link = "https://sight.example/#/errors/00000000000001";
  assert.deepEqual(receiver.bodies, [{
    text: "Regression in shop@1.4.2: TypeError: &lt;!channel&gt; @\u200ball &amp; so on" +
      ` (shop, test)\n${link}`,
    alert: {
      ...alertOf(1, { kind: "regression", message: "<!channel>\n@all & so on" }),
      link,
    },
  }]);
  await using plain = new Receiver(ok);
  plain.webhook.send(alertOf(1, { release: null, environment: null, message: "" }));
  await plain.received(1);
  assert.equal(plain.bodies[0].text, "New error: TypeError (shop)");
  assert.equal(plain.bodies[0].alert.link, null);
});

Deno.test("500, then 200 → tried again; 500 three times → given up, logged once", async () => {
  await using receiver = new Receiver((n) => new Response(null, { status: n === 2 ? 200 : 500 }));
  receiver.webhook.send(alertOf(1));
  await receiver.received(2);
  assert.deepEqual(receiver.failures, []);
  for (let n = 2; n <= 4; n++) receiver.webhook.send(alertOf(n));
  await receiver.received(2 + 9);
  assert.deepEqual(receiver.bodies.slice(2).map(({ alert }) => alert.message), [
    ...Array(3).fill("order 2"),
    ...Array(3).fill("order 3"),
    ...Array(3).fill("order 4"),
  ]);
  assert.deepEqual(receiver.failures, ["it answered 500"]);
});

Deno.test("redirect or refusal → not followed, not tried again; then a success → logs again", async () => {
  await using receiver = new Receiver((n, url) =>
    n === 1
      ? Response.redirect(`${url.origin}/elsewhere`, 307)
      : new Response(null, { status: n === 2 ? 200 : 404 })
  );
  receiver.webhook.send(alertOf(1));
  await until("the failure is logged", () => receiver.failures.length === 1);
  receiver.webhook.send(alertOf(2));
  receiver.webhook.send(alertOf(3));
  await until("the second failure is logged", () => receiver.failures.length === 2);
  assert.deepEqual(receiver.bodies.map(({ alert }) => alert.message), [
    "order 1",
    "order 2",
    "order 3",
  ]);
  assert.deepEqual(receiver.failures, [
    "it answered 307, and redirects are not followed",
    "it answered 404",
  ]);
});

Deno.test("slow receiver → aborted after the timeout; the next alert is sent", async () => {
  const { promise: slow, resolve } = Promise.withResolvers<void>();
  await using receiver = new Receiver((n) => n <= 3 ? slow.then(ok) : ok(), { timeoutMs: 300 });
  receiver.webhook.send(alertOf(1));
  receiver.webhook.send(alertOf(2));
  await until("the second alert", () => receiver.bodies.at(-1)?.alert.message === "order 2");
  assert.deepEqual(receiver.failures, ["no answer within 300 ms"]);
  resolve();
});

Deno.test("nothing listens → logged without the URL, which may be a secret", async () => {
  const free = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = free.addr;
  free.close();
  const failures: string[] = [];
  const webhook = new AlertWebhook({
    url: `http://127.0.0.1:${port}/secret`,
    backoffMs: [1, 1],
    onFailure: (reason) => failures.push(reason),
  });
  webhook.send(alertOf(1));
  await until("the failure is logged", () => failures.length > 0);
  assert.deepEqual(failures, ["it cannot be reached"]);
});

Deno.test("one group more than once a minute → one POST; 1,000 groups → the first 30", async () => {
  const { promise: blocked, resolve } = Promise.withResolvers<Response>();
  await using receiver = new Receiver((n) => n === 1 ? blocked : ok());
  const send = (n: number) => receiver.webhook.send(alertOf(n));
  send(0);
  await receiver.received(1);
  for (let n = 0; n < 1_000; n++) send(n);
  resolve(ok());
  await receiver.received(30);
  receiver.now += 59_999;
  send(1);
  receiver.now += 1;
  send(1);
  await receiver.received(31);
  assert.deepEqual(
    receiver.bodies.map(({ alert }) => alert.message),
    [...Array(30).keys(), 1].map((n) => `order ${n}`),
  );

  await using oneOfTen = new Receiver(ok, { processes: 10 });
  for (let n = 0; n < 30; n++) oneOfTen.webhook.send(alertOf(n));
  await until("none waits", () => oneOfTen.bodies.length === 3);
  oneOfTen.now += 60_000;
  oneOfTen.webhook.send(alertOf(99));
  await oneOfTen.received(4);
  assert.equal(oneOfTen.bodies[3].alert.message, "order 99");
});

Deno.test("closed while waiting for another try → no further request", async () => {
  await using receiver = new Receiver(() => new Response(null, { status: 503 }), {
    backoffMs: [3_600_000],
  });
  receiver.webhook.send(alertOf(1));
  await receiver.received(1);
  receiver.webhook.close();
  receiver.webhook.send(alertOf(2));
  assert.equal(receiver.bodies.length, 1);
  assert.deepEqual(receiver.failures, []);
});
