/** A view that is added: a folder, and an entry of the registry. */
import { VIEWS } from "../../islands/shell/registry.ts";
import { buildCopy } from "../harness/project_copy.ts";
import { startServer } from "../harness/server_process.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";
import { expect, test as base } from "../harness/browser/fixtures.ts";
import { openView, tab } from "../harness/browser/views.ts";

const VIEW = `export default function Ducks() {
  return <p>Seven ducks</p>;
}
`;
const KEY = [..."abcdefghijklmnopqrstuvwxyz"].find((key) =>
  VIEWS.every((view) => view.key !== key)
)!;
const ENTRY =
  `  { id: "ducks", title: "Ducks", icon: [["path", { d: "M4 4h16v16H4z" }]], group: "Investigate", key: "${KEY}",
    load: { inbox: () => import("../ducks/Ducks.tsx") } },
];
`;

/** A server with the added view. */
const test = base.extend({
  server: async ({ mode: _mode }, provide) => {
    using copy = temporaryFolder();
    const islands = `${copy.path}/islands`;
    await buildCopy(copy.path, async () => {
      await Deno.mkdir(`${islands}/ducks`);
      await Deno.writeTextFile(`${islands}/ducks/Ducks.tsx`, VIEW);
      const registry = await Deno.readTextFile(`${islands}/shell/registry.ts`);
      await Deno.writeTextFile(`${islands}/shell/registry.ts`, registry.replace(/^\];\n/m, ENTRY));
    });
    const main = `${copy.path}/main.ts`;
    await using server = await startServer({ main, permissions: ["-A"] });
    await provide(server);
  },
});

test("a folder and an entry of the registry → in sidebar, title, phone bar, keys and help", async ({ page }) => {
  await page.goto("/");
  await openView(page, "Ducks");
  await expect(page).toHaveURL("/#/ducks");
  await expect(page).toHaveTitle("Ducks · Sightglass");
  const view = page.getByRole("region", { name: "Ducks", exact: true });
  await expect(view).toContainText("Seven ducks");
  await expect(page.locator(".view:visible")).toHaveCount(1);
  await expect(tab(page, "Ducks").locator("path")).toHaveAttribute("d", "M4 4h16v16H4z");

  await page.keyboard.press("g");
  await page.keyboard.press("o");
  await expect(tab(page, "Overview")).toHaveAttribute("aria-current", "page");
  await expect(view).toBeHidden();
  await page.goto("/#/errors?release=1");
  await expect(tab(page, "Ducks")).toHaveAttribute("href", "#/ducks?release=1");
  await page.keyboard.press("g");
  await page.keyboard.press(KEY);
  await expect(page).toHaveURL("/#/ducks?release=1");
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Help" })).toContainText(`g ${KEY} Ducks`);
  await page.keyboard.press("Escape");

  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto("/#/logs");
  await openView(page, "Ducks");
  await expect(view).toBeVisible();
  await page.reload();
  await expect(view).toContainText("Seven ducks");
});
