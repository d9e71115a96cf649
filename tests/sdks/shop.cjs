/**
 * A service of a shop that reports by Sentry's SDK: its API in Fastify, or the worker that takes the payments.
 * Arguments: the folder of `@sentry/node`, release, environment, and for the API the worker's
 * address. Prints its address.
 */
const [, , sdk, release, environment, worker] = process.argv;
const Sentry = require(sdk);

Sentry.init({
  dsn: process.env.SENTRY_DSN,
  release,
  environment,
  tracesSampleRate: 1,
  enableLogs: true,
  integrations: [
    Sentry.rewriteFramesIntegration({ root: __dirname, prefix: "app:///" }),
  ],
});

const { randomUUID } = require("node:crypto");
const { createServer } = require("node:http");
const { setTimeout: wait } = require("node:timers/promises");

class PaymentError extends Error {
  name = "PaymentError";
}

/** Prices by cart. There is no cart 7. */
const CARTS = new Map([1, 2, 3, 4, 5, 6].map((id) => [id, [12, 3 * id]]));

const query = (name, ms) => Sentry.startSpan({ name, op: "db" }, () => wait(ms));

const API = {
  async "GET /products"() {
    await query("SELECT id, name FROM products", 40);
    Sentry.logger.info("Products listed", { products: CARTS.size });
  },
  /** Asks for the product and the stock of each order by itself: an N+1 of two queries that alternate. */
  async "GET /orders"() {
    await query("SELECT id FROM orders", 30);
    for (const _ of CARTS) {
      await query("SELECT name FROM products WHERE id = ?", 4);
      await query("SELECT stock FROM items WHERE product = ?", 3);
    }
  },
  async "POST /checkout"({ cart }) {
    Sentry.addBreadcrumb({
      category: "cart",
      message: `Checkout of cart ${cart}`,
    });
    Sentry.metrics.count("checkouts", 1);
    Sentry.logger.info("Checkout started", { cart });
    await query(
      "SELECT id, price FROM items WHERE cart = ?",
      40 + 25 * (cart % 4),
    );
    const amount = CARTS.get(cart).reduce((sum, price) => sum + price, 0);
    await Promise.all([
      query("SELECT stock FROM items", 60),
      query("SELECT street FROM users", 90),
    ]);
    const { ok } = await fetch(`${worker}charge?amount=${amount}`, {
      method: "POST",
    });
    if (!ok) throw new PaymentError(`Payment of ${amount} EUR failed`);
    await query("INSERT INTO orders VALUES (?, ?)", 30);
    Sentry.logger.info("Checkout finished", { cart });
  },
  /** An agent whose tool fails. */
  async "GET /assistant"() {
    const messages = [{ role: "user", content: "Is the lamp in stock?" }];
    const ask = () => model.chat.completions.create({ model: "gpt-5-mini", messages });
    const run = async () => {
      await ask();
      const message = await aiSpan("execute_tool", "tool", "find_stock", findStock);
      messages.push({ role: "tool", content: message });
      await ask();
    };
    await aiSpan("invoke_agent", "agent", "support assistant", run);
  },
};

/** A span as Sentry's conventions name those of agents and tools. */
const aiSpan = (operation, kind, name, run) =>
  Sentry.startSpan({
    name: `${operation} ${name}`,
    op: `gen_ai.${operation}`,
    attributes: { "gen_ai.operation.name": operation, [`gen_ai.${kind}.name`]: name },
  }, run);

async function findStock(span) {
  await query("SELECT stock FROM items WHERE name = ?", 5);
  const message = "No stock is known of the lamp";
  span.setStatus({ code: 2, message });
  return message;
}

/** The SDK instruments it as OpenAI's client. */
const model = Sentry.instrumentOpenAiClient({
  chat: {
    completions: {
      create: ({ model, messages }) =>
        Promise.resolve({
          ...{ id: "chat-1", object: "chat.completion", created: 1_795_262_400, model },
          choices: [{
            ...{ index: 0, finish_reason: "stop" },
            message: { role: "assistant", content: `Read ${messages.length}: I do not know.` },
          }],
          usage: { prompt_tokens: 40, completion_tokens: 9, total_tokens: 49 },
        }),
    },
  },
}, { recordInputs: true, recordOutputs: true });

const WORKER = {
  async "POST /charge"({ amount }) {
    Sentry.logger.info("Charging the card", { amount });
    await Sentry.startSpan(
      { name: "POST https://bank.example/charge", op: "http.client" },
      () => wait(240 + 20 * (amount % 9)),
    );
    if (amount > 26) {
      Sentry.logger.warn("The bank refused the card", { amount });
      throw new PaymentError(`Card declined for ${amount} EUR`);
    }
  },
};

const CORS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Headers": "baggage, content-type, sentry-trace",
};

const print = (address) => process.stdout.write(`${address}/\n`);

/** Arguments of a request: every parameter is a number. */
const numbersOf = (query) =>
  Object.fromEntries(
    Object.entries(query).map(([name, text]) => [name, Number(text)]),
  );

/** Fastify's spans of a preflight are named by their handler; only an attribute has the method. */
function startApi() {
  // Not by its name: the type check would mix its types of Node with those of the project.
  const framework = "fastify";
  const app = require(framework)();
  app.addHook("onRequest", (_request, reply, done) => {
    reply.headers(CORS);
    done();
  });
  // The page sends JSON's content type to make preflights, and no body.
  app.addContentTypeParser(
    "application/json",
    (_request, _body, done) => done(null),
  );
  app.options("*", (_request, reply) => reply.code(204).send());
  for (const [route, handle] of Object.entries(API)) {
    const [method, url] = route.split(" ");
    app.route({
      method,
      url,
      async handler({ query }) {
        const start = performance.now();
        await handle(numbersOf(query));
        const attributes = { route: url };
        const ms = performance.now() - start;
        Sentry.metrics.distribution("request.duration", ms, { unit: "millisecond", attributes });
        return "";
      },
    });
  }
  Sentry.setupFastifyErrorHandler(app);
  app.listen({ port: 0, host: "127.0.0.1" }).then(print);
}

function startWorker() {
  const server = createServer(async ({ method, url }, response) => {
    const { pathname, searchParams } = new URL(url, "http://shop");
    try {
      await WORKER[`${method} ${pathname}`](
        numbersOf(Object.fromEntries(searchParams)),
      );
      response.writeHead(200).end();
    } catch (error) {
      Sentry.captureException(error);
      response.writeHead(500).end();
    }
  });
  server.listen(
    0,
    "127.0.0.1",
    () => print(`http://127.0.0.1:${server.address().port}`),
  );
}

/** A job that never finishes: its next run starts an hour later, while the first one has no end. */
function startJob() {
  const config = { schedule: { type: "interval", value: 1, unit: "hour" }, maxRuntime: 5 };
  Sentry.captureCheckIn({ monitorSlug: "export orders", status: "in_progress" }, config);
}

if (worker) startApi();
else {
  startWorker();
  const stop = Sentry.getClient().on("beforeEnvelope", ([header]) => {
    header.sent_at = new Date(Date.now() - 3_600_000).toISOString();
  });
  startJob();
  stop();
  startJob();
}

/** A job that is watched, and a profile as the compiled `@sentry/profiling-node` sends it. */
if (worker) {
  Sentry.startSpan(
    { name: "refresh prices", op: "cron" },
    () => query("SELECT price", 20),
  );
  Sentry.captureCheckIn({ monitorSlug: "prices", status: "ok" });
  const client = Sentry.getClient();
  const { sdk } = client.getSdkMetadata();
  const chunk_id = randomUUID().replaceAll("-", "");
  const profile = { frames: [], stacks: [], samples: [] };
  const facts = {
    version: "2",
    platform: "node",
    client_sdk: sdk,
    release,
    environment,
  };
  void client.sendEnvelope([{
    event_id: chunk_id,
    sent_at: new Date().toISOString(),
    sdk,
  }, [
    [{ type: "profile_chunk", platform: "node" }, {
      chunk_id,
      ...facts,
      profile,
    }],
  ]]);
}
