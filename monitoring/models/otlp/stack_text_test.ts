import assert from "node:assert/strict";
import { MAX_EXCEPTIONS } from "../error/exceptions.ts";
import { readStackText } from "./stack_text.ts";

/** Type, message, and the frames, innermost first: `function module file:line:column`, a library's in parentheses. */
const read = (text: string) =>
  readStackText(text).map(({ type, value, frames }) => [
    type,
    value,
    ...frames.toReversed().map((frame) => {
      const place = [frame.filename, frame.lineno, frame.colno].filter(Boolean).join(":");
      const shown = [frame.function, frame.module, place].filter(Boolean).join(" ");
      return frame.in_app ? shown : `(${shown})`;
    }),
  ]);

Deno.test("Java: modules, native methods, Kotlin, causes, suppressed → frames of each exception", () => {
  const text = `shop.OrderException: cannot place order: A-1
	at shop.Orders.place(Orders.java:42)
	at shop.OrdersKt$main$1.invokeSuspend(Orders.kt:7)
	at shop.Orders$$Lambda/0x00007f1c.run(Unknown Source)
	at java.base/jdk.internal.reflect.DirectMethodHandleAccessor.invoke(DirectMethodHandleAccessor.java:103)
	at app//org.springframework.web.Servlet.service(Servlet.java:9)
	Suppressed: java.io.IOException: close failed
		at shop.Files.close(Files.java:1)
Caused by: java.sql.SQLException: connection refused
	at shop.Db.<init>(Db.java:10)
	at java.base/java.net.Socket.connect(Native Method)
	... 2 more
Caused by: java.net.ConnectException
	... 4 more
`;
  assert.deepEqual(read(text), [
    ["java.net.ConnectException", ""],
    [
      "java.sql.SQLException",
      "connection refused",
      "<init> shop.Db Db.java:10",
      "(connect java.net.Socket)",
    ],
    [
      "shop.OrderException",
      "cannot place order: A-1",
      "place shop.Orders Orders.java:42",
      "invokeSuspend shop.OrdersKt$main$1 Orders.kt:7",
      "run shop.Orders$$Lambda/0x00007f1c",
      "(invoke jdk.internal.reflect.DirectMethodHandleAccessor DirectMethodHandleAccessor.java:103)",
      "(service org.springframework.web.Servlet Servlet.java:9)",
    ],
  ]);
});

Deno.test("Python: source lines, marks, a cause, a message of several lines → outermost last", () => {
  const text = `Traceback (most recent call last):
  File "/app/shop/views.py", line 12, in checkout
    total = prices["A-1"]
            ~~~~~~^^^^^^^
KeyError: 'A-1'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/usr/lib/python3.12/site-packages/flask/app.py", line 880, in full_dispatch_request
    rv = self.dispatch_request()
  File "<frozen importlib._bootstrap>", line 1, in <module>
  File "/app/shop/views.py", line 14, in checkout
    raise OrderError("no price\\nfor A-1")
shop.errors.OrderError: no price
for A-1
`;
  const [cause, outermost] = readStackText(text);
  assert.equal(cause?.frames[0]?.context_line, 'total = prices["A-1"]');
  assert.equal(outermost?.frames[1]?.context_line, undefined);
  assert.deepEqual(read(text), [
    ["KeyError", "'A-1'", "checkout /app/shop/views.py:12"],
    [
      "shop.errors.OrderError",
      "no price\nfor A-1",
      "checkout /app/shop/views.py:14",
      "(<module> <frozen importlib._bootstrap>:1)",
      "(full_dispatch_request /usr/lib/python3.12/site-packages/flask/app.py:880)",
    ],
  ]);
});

Deno.test("JavaScript of Node, Deno and browsers → frames", () => {
  assert.deepEqual(
    read(`TypeError: x is not a function
    at async Orders.find (/app/orders.js:10:5)
    at /app/(shop)/page.js:3:1
    at new Promise (<anonymous>)
    at Object.<anonymous> [as run] (file:///app/main.ts:1:2)
    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)
    at next (/app/node_modules/express/lib/router.js:1:9)`),
    [[
      "TypeError",
      "x is not a function",
      "async Orders.find /app/orders.js:10:5",
      "/app/(shop)/page.js:3:1",
      "Object.<anonymous> [as run] file:///app/main.ts:1:2",
      "(process.processTicksAndRejections node:internal/process/task_queues:105:5)",
      "(next /app/node_modules/express/lib/router.js:1:9)",
    ]],
  );
  assert.deepEqual(
    read(`Error: outer
    at file:///app/mod.mjs:3:1 {
  [cause]: TypeError: inner
      at find (/app/x.js:1:2)
}`),
    [["TypeError", "inner", "find /app/x.js:1:2"], ["Error", "outer", "file:///app/mod.mjs:3:1"]],
  );
  assert.deepEqual(
    read("find@https://shop.example/app.js:10:5\n@https://shop.example/app.js:1:200\n"),
    [["", "", "find https://shop.example/app.js:10:5", "https://shop.example/app.js:1:200"]],
  );
});

Deno.test("Go, .NET and Ruby → frames, causes of .NET", () => {
  assert.deepEqual(
    read(`goroutine 1 [running]:
go.opentelemetry.io/otel/sdk/trace.recordStackTrace()
	/go/pkg/mod/go.opentelemetry.io/otel/sdk@v1.30.0/trace/span.go:552 +0x3c
main.(*Shop).Find(0xc0000b4000, {0x1234, 0x5})
	/app/shop.go:12 +0x1d
created by net/http.(*Server).Serve in goroutine 18
	/usr/local/go/src/net/http/server.go:3285 +0x4b4`),
    [[
      "",
      "",
      "(go.opentelemetry.io/otel/sdk/trace.recordStackTrace /go/pkg/mod/go.opentelemetry.io/otel/sdk@v1.30.0/trace/span.go:552)",
      "main.(*Shop).Find /app/shop.go:12",
      "(net/http.(*Server).Serve /usr/local/go/src/net/http/server.go:3285)",
    ]],
  );
  assert.deepEqual(
    read(
      [
        "System.InvalidOperationException: order failed",
        " ---> System.TimeoutException: no answer",
        "   at Shop.Db..ctor(String address) in /src/Db.cs:line 3",
        "   --- End of inner exception stack trace ---",
        "   at Shop.Orders.<FindAsync>d__3.MoveNext() in C:\\src\\Orders.cs:line 12",
        "--- End of stack trace from previous location ---",
        "   at System.Threading.Tasks.Task.Run(Action action)",
      ].join("\r\n"),
    ),
    [
      ["System.TimeoutException", "no answer", "ctor(String address) Shop.Db. /src/Db.cs:3"],
      [
        "System.InvalidOperationException",
        "order failed",
        "MoveNext() Shop.Orders.<FindAsync>d__3 C:\\src\\Orders.cs:12",
        "(Run(Action action) System.Threading.Tasks.Task)",
      ],
    ],
  );
  assert.deepEqual(
    read(`/app/orders.rb:12:in 'Orders#find': no order (Shop::NotFound)
	from /usr/lib/ruby/gems/3.4.0/gems/rack-3.1/lib/rack.rb:5:in \`block in call'`),
    [[
      "",
      "",
      "Orders#find /app/orders.rb:12",
      "(block in call /usr/lib/ruby/gems/3.4.0/gems/rack-3.1/lib/rack.rb:5)",
    ]],
  );
});

Deno.test("thousands of causes → the outermost", () => {
  const read = readStackText(`a.B: 0\n\tat a.b(C.java:1)${"\nCaused by: c.D: 1".repeat(5_000)}`);
  assert.equal(read.length, MAX_EXCEPTIONS);
  assert.deepEqual([read.at(-1)?.type, read[0]?.type], ["a.B", "c.D"]);
});

Deno.test("other text → no exceptions", () => {
  for (const text of ["", "thread 'main' panicked", "at noon: the shop (closed)", "#0 {main}"]) {
    assert.deepEqual(readStackText(text), [], text);
  }
});

Deno.test("hostile texts → read in linear time", () => {
  const lines = [
    "\n",
    " ",
    "    at (",
    "\tat a.a.a",
    "((((",
    "a:1:",
    "@:1",
    '  File "',
    "from a:1:in '",
  ];
  const texts = [
    ...lines.map((line) => line.repeat(100_000)),
    ...lines.map((line) => `${line}${"x ".repeat(20)}\n`.repeat(3_000)),
    `  File "a", line 1\n${" ".repeat(100_000)}`,
    `    at ${"a/".repeat(50_000)}(b.java:1`,
    `   at ${"a.".repeat(50_000)}b(`,
    `${"\n".repeat(99_000)}\tat a.b(C.java:1)`,
    `  File "a", line 1\nx${"\n".repeat(99_000)}`,
  ];
  const start = performance.now();
  for (const text of texts) readStackText(text);
  // Quadratic time would take minutes.
  assert.ok(performance.now() - start < 10_000);
});
