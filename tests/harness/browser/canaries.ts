import type { Page } from "@playwright/test";

/** Private data, one word for each place on the page or in the address. */
export const CANARIES = {
  query: "canaryquery",
  fragment: "canaryfragment",
  text: "canarytext",
  typed: "canarytyped",
  value: "canaryvalue",
  placeholder: "canaryplaceholder",
  title: "canarytitle",
  alt: "canaryalt",
  label: "canarylabel",
  data: "canarydata",
  option: "canaryoption",
  editable: "canaryeditable",
  link: "canarylink",
  image: "canaryimage",
  imageQuery: "canaryimagequery",
  heading: "canaryheading",
  fetched: "canaryfetched",
  navigated: "canarynavigated",
  hidden: "canaryhidden",
  style: "canarystyle",
  user: "canaryuser",
} as const;

/** Adds elements with the canaries to the page. */
export async function plantCanaries(page: Page): Promise<void> {
  await page.evaluate((canary) => {
    const make = (name: string, attributes: Record<string, string>, text = "") => {
      const element = document.createElement(name);
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
      element.textContent = text;
      return element;
    };
    const box = make("section", { "data-user": canary.data, title: canary.title, id: "planted" });
    const select = make("select", { "aria-label": canary.label });
    select.append(make("option", { value: canary.option }, canary.option));
    box.append(
      make("h2", {}, canary.heading),
      make("p", {}, canary.text),
      make(
        "button",
        { type: "button", "aria-label": canary.label, title: canary.title },
        canary.text,
      ),
      make("input", { id: "typed", placeholder: canary.placeholder, value: canary.value }),
      make("input", { type: "submit", value: canary.value, alt: canary.alt, name: canary.label }),
      make("input", { id: "hidden", type: "hidden", value: canary.hidden }),
      make("div", { id: "styled" }),
      make("textarea", { id: "area", placeholder: canary.placeholder }),
      make("div", { id: "editable", contenteditable: "true" }, canary.editable),
      make("a", { href: `/?q=${canary.link}#${canary.link}` }, canary.link),
      make("img", { src: `/${canary.image}.png?q=${canary.imageQuery}`, alt: canary.alt }),
      select,
    );
    document.getElementById("main")!.append(box);
  }, CANARIES);
}

/** Clicks, types and chooses; sends requests and navigates to addresses with canaries. */
export async function enterCanaries(page: Page): Promise<void> {
  const planted = page.locator("#planted");
  await planted.getByRole("button", { name: CANARIES.label }).first().click();
  await planted.locator("p").click();
  await planted.locator("#typed").fill(CANARIES.typed);
  await planted.locator("#typed").press("Enter");
  await planted.locator("#area").pressSequentially(CANARIES.typed);
  await planted.locator("#editable").pressSequentially(CANARIES.typed);
  await planted.locator("select").selectOption(CANARIES.option);
  await page.evaluate(async ({ fetched, navigated, hidden, style, user }) => {
    const field = document.querySelector<HTMLInputElement>("#hidden")!;
    field.value = `${hidden} by property`;
    field.setAttribute("value", `${hidden} by attribute`);
    document.getElementById("styled")!.style.setProperty("--text", `"${style}, changed"`);
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`#styled::after { content: "${style}" }`);
    document.adoptedStyleSheets = [sheet];
    sheet.insertRule(`#styled::before { content: "${style}" }`);
    const failed = Object.assign(new Error("Uncaught error, made on the page"), {
      stack: `Error: x\n    at f (https://${user}:${user}@page.example/a.js:1:2)`,
    });
    setTimeout(() => {
      throw failed;
    });
    await (await fetch(`/signal?delay_ms=0&q=${fetched}#${fetched}`)).text();
    const request = new XMLHttpRequest();
    const done = new Promise((resolve) => request.onloadend = resolve);
    request.open("GET", `/signal?q=${fetched}`);
    request.send();
    await done;
    console.warn(fetched);
    history.pushState({}, "", `/?q=${navigated}#${navigated}`);
  }, CANARIES);
}
