import assert from "node:assert/strict";
import { eventOfException } from "../otlp/otlp_exception.ts";
import { describeEvent } from "./error_event.ts";
import { errorAsText } from "./error_as_text.ts";

Deno.test("a message, an exception group, an invalid time → text without the missing parts", () => {
  const message = describeEvent({ message: "m", timestamp: "never" });
  assert.match(errorAsText(message), /^m\n\nlevel: error\nevent: [\da-f]{32}\n$/);
  const member = { exception_id: 1, parent_id: 0, source: "errors[0]" };
  const group = { exception_id: 0, is_exception_group: true };
  const values = [
    { type: "E", value: "one", mechanism: member },
    { type: "AggregateError", mechanism: group },
  ];
  const text = errorAsText(describeEvent({ exception: { values } }));
  assert.match(text, /^AggregateError\n\n {2}errors\[0\] of AggregateError: E: one$/m);
  const [inner, outer] = [{ type: "TypeError", value: "inner" }, { type: "Error", value: "outer" }];
  const caused = errorAsText(describeEvent({ exception: { values: [inner, outer] } }));
  assert.match(caused, /^Error: outer\n\n {2}Caused by: TypeError: inner$/m);
});

Deno.test("a stack trace of OpenTelemetry in an unknown form → as it was sent", () => {
  const { exception, extra } = eventOfException({
    attributes: {
      "exception.type": "ArithmeticError",
      "exception.stacktrace": "    (shop 0.1.0) lib/cart.ex:12: Shop.Cart.total/1\n",
    },
    resource: {},
    timestamp: undefined,
    level: "error",
    trace_id: null,
    span_id: null,
  });
  assert.match(
    errorAsText(describeEvent({ exception, extra })),
    /^ArithmeticError\n\n {4}\(shop 0\.1\.0\) lib\/cart\.ex:12: Shop\.Cart\.total\/1\n\nlevel: /,
  );
});
