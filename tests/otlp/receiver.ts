/**
 * A receiver of OTLP/HTTP that accepts only what the JSON mapping of the protocol allows:
 * https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */
import assert from "node:assert/strict";
import type { OtlpContent } from "../../monitoring/otlp/otlp_json.ts";

type OtlpSpan = OtlpContent["spans"][number];
type OtlpLog = OtlpContent["logRecords"][number];
type Fields = Record<string, unknown>;
type Attributes = Readonly<Record<string, unknown>>;

/** A record with the attributes of its resource. */
export type Received<Record> = Record & { readonly resource: Attributes };

/** Throws for an unknown field, or one of another type. */
type Check = (value: unknown, path: string) => void;

const matches = (pattern: RegExp): Check => (value, path) => {
  assert.ok(typeof value === "string" && pattern.test(value), `${path}: ${JSON.stringify(value)}`);
};
const text: Check = (value, path) => assert.equal(typeof value, "string", path);
const enumOf = (max: number): Check => (value, path) =>
  assert.ok(Number.isInteger(value) && Number(value) >= 0 && Number(value) <= max, path);
const traceId = matches(/^(?!0{32})[\da-f]{32}$/);
const spanId = matches(/^(?!0{16})[\da-f]{16}$/);
/** 64-bit integers are strings. */
const fixed64 = matches(/^\d{1,20}$/);
const listOf = (check: Check): Check => (value, path) => {
  assert.ok(Array.isArray(value), path);
  value.forEach((one, index) => check(one, `${path}[${index}]`));
};
const object = (fields: Readonly<Record<string, Check>>, required: readonly string[]): Check =>
(
  value,
  path,
) => {
  assert.ok(typeof value === "object" && value !== null && !Array.isArray(value), path);
  for (const [name, one] of Object.entries(value)) {
    assert.ok(Object.hasOwn(fields, name), `${path}.${name} is unknown`);
    fields[name]!(one, `${path}.${name}`);
  }
  for (const name of required) {
    assert.ok(Object.hasOwn(value, name), `${path}.${name} is missing`);
  }
};
const anyValue: Check = (value, path) => {
  object({
    stringValue: text,
    boolValue: (one) => assert.equal(typeof one, "boolean", path),
    intValue: matches(/^-?\d{1,19}$/),
    doubleValue: (one) => assert.equal(typeof one, "number", path),
    arrayValue: object({ values: listOf(anyValue) }, ["values"]),
  }, [])(value, path);
  assert.equal(Object.keys(value as object).length, 1, path);
};
const attributes = listOf(object({ key: text, value: anyValue }, ["key", "value"]));
const resource = object({ attributes }, []);
const scope = object({ name: text }, []);
const span = object({
  traceId,
  spanId,
  parentSpanId: spanId,
  name: text,
  kind: enumOf(5),
  startTimeUnixNano: fixed64,
  endTimeUnixNano: fixed64,
  attributes,
  status: object({ code: enumOf(2), message: text }, []),
}, ["traceId", "spanId", "name", "startTimeUnixNano", "endTimeUnixNano"]);
const logRecord = object({
  timeUnixNano: fixed64,
  observedTimeUnixNano: fixed64,
  severityNumber: enumOf(24),
  severityText: text,
  body: anyValue,
  attributes,
  traceId,
  spanId,
}, []);
const grouped = (resources: string, scopes: string, records: string, record: Check): Check =>
  object({
    [resources]: listOf(object({
      resource,
      [scopes]: listOf(object({ scope, [records]: listOf(record) }, [])),
    }, [])),
  }, [resources]);

/** The valid bodies of each path. */
const REQUESTS: Readonly<Record<string, Check>> = {
  "/v1/traces": grouped("resourceSpans", "scopeSpans", "spans", span),
  "/v1/logs": grouped("resourceLogs", "scopeLogs", "logRecords", logRecord),
};

/** Throws if the body of a request is not valid. */
export function checkOtlp(path: string, body: unknown): void {
  (REQUESTS[path] ?? assert.fail(`No such path: ${path}`))(body, "");
}

/** Attributes as plain values. */
export function plain(list: OtlpSpan["attributes"]): Attributes {
  return Object.fromEntries(list.map(({ key, value }) => [key, plainValue(value)]));
}

function plainValue(value: OtlpSpan["attributes"][number]["value"]): unknown {
  if ("intValue" in value) return Number(value.intValue);
  if ("arrayValue" in value) return value.arrayValue.values.map(plainValue);
  return Object.values(value)[0];
}

/** Starts a receiver on a free port. */
export function startOtlpReceiver() {
  const spans: Received<OtlpSpan>[] = [];
  const logs: Received<OtlpLog>[] = [];
  const invalid: string[] = [];
  const requests: Headers[] = [];
  let respond: () => Response | Promise<Response> = () => new Response('{"partialSuccess":{}}');
  const take = (path: string, body: Fields) => {
    const isTraces = path === "/v1/traces";
    const groups = body[isTraces ? "resourceSpans" : "resourceLogs"] as Fields[];
    for (const group of groups) {
      const resource = plain((group.resource as { attributes: OtlpSpan["attributes"] }).attributes);
      for (const scope of group[isTraces ? "scopeSpans" : "scopeLogs"] as Fields[]) {
        const received = <T>(records: unknown) =>
          (records as T[]).map((record) => ({ ...record, resource }));
        if (isTraces) spans.push(...received<OtlpSpan>(scope.spans));
        else logs.push(...received<OtlpLog>(scope.logRecords));
      }
    }
  };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    requests.push(new Headers(request.headers));
    const { pathname } = new URL(request.url);
    const body = await request.text();
    const response = await respond();
    if (!response.ok) return response;
    try {
      assert.equal(request.headers.get("content-type"), "application/json");
      take(pathname, JSON.parse(body));
      checkOtlp(pathname, JSON.parse(body));
    } catch (error) {
      invalid.push(String(error));
    }
    return response;
  });
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    spans,
    logs,
    /** The headers of each request. */
    requests,
    /** The errors of invalid requests. Deno's own spans have more fields than the exporter's may have. */
    invalid,
    /** Changes the response to all further requests. Default: 200. */
    respondWith: (make: () => Response | Promise<Response>) => void (respond = make),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
