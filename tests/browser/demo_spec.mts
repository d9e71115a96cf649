/** `deno task demo`: the stand-in Sentry's own page disturbs it, and the strip shows what then happens. */
import { test as base } from "@playwright/test";
import { watchProcess } from "../harness/watched_process.ts";
import { projectRoot } from "../../tools/project_files.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import { ERRORS, make, openPage } from "../harness/browser/signals.ts";
import { openView } from "../harness/browser/views.ts";

base.skip(Deno.build.os === "windows", "ends the process tree by its signals");

test("stand-in down, normal, 429 → the spool fills and drains, a limit shows", async ({ page, context, watch }) => {
  watch.allow(ERRORS.handled, "status of 429");
  await using demo = watchProcess(["task", "demo"], {
    cwd: projectRoot,
    env: { PORT: "0", NO_COLOR: "1" },
  });
  await openPage(page, await demo.printed(/^The page: (\S+)$/m));
  const control = await context.newPage();
  await control.goto(await demo.printed(/^The stand-in Sentry, .*: (\S+)$/m));
  const become = async (state: string) => {
    await control.getByRole("button", { name: state, exact: true }).click();
    await expect(control.getByRole("status")).toContainText(state);
  };
  const strip = page.getByRole("region", { name: "Flow" });
  const spooled = async () =>
    Number(/(\d+) spooled/.exec(await strip.textContent() ?? "")?.[1] ?? 0);

  await become("Down");
  await make(page, "Handled error");
  await expect.poll(spooled).toBeGreaterThan(0);
  const first = await spooled();
  await make(page, "Handled error");
  await expect.poll(spooled).toBeGreaterThan(first);
  await become("Normal");
  await expect.poll(spooled).toBe(0);
  await expect(strip).toContainText(/spool is empty|All delivered/);

  await become("429");
  await make(page, "Handled error");
  await openView(page, "Overview");
  await expect(page.getByRole("region", { name: "Sent by this page", exact: true }))
    .toContainText("rate limited");
  // Requests of an open page would fail once the demo has stopped.
  for (const tab of [page, control]) await tab.goto("about:blank");
  demo.process.kill("SIGTERM");
  await demo.closed;
});
