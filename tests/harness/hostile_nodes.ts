import { element, text } from "./recorded_segments.ts";

const PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

/** Nodes of a recorded page: each kind of element, attribute and style that could run, load or connect to `evil`. */
export function hostileNodes(evil: string) {
  const run = `top.attacked = true; fetch("${evil}")`;
  const svg = (node: Record<string, unknown>) => ({ ...node, isSVG: true });
  let id = 100;
  const make = (tag: string, attributes = {}, children: Record<string, unknown>[] = []) =>
    element(id++, tag, attributes, children);
  return {
    head: [
      make("meta", { "http-equiv": "refresh", content: `0;url=${evil}` }),
      make("base", { href: evil }),
      ...["preconnect", "dns-prefetch", "modulepreload", "prefetch", "icon", "stylesheet"]
        .map((rel) => make("link", { rel, href: evil })),
      make("link", { rel: "preload", as: "script", href: evil }),
      make("link", {
        rel: "stylesheet",
        _cssText: `@import '${evil}'; body { background: url(${evil}) }`,
      }),
      make("style", {
        _cssText: `@font-face { font-family: f; src: url(${evil}) } body { font-family: f }`,
      }),
      make("style", {}, [text(id++, `body { background: u\\72l(${evil}) }`)]),
      make("script", {}, [text(id++, run)]),
      make("script", { src: evil }),
      make("script", { type: "module", src: evil }),
    ],
    body: [
      make("p", {}, [text(id++, "Shown")]),
      make("iframe", { src: evil, srcdoc: `<script>${run}</script>` }),
      make("object", { data: evil }),
      make("embed", { src: evil }),
      make("img", { src: evil, srcset: `${evil} 2x`, onerror: run }),
      make("img", { src: PIXEL, onerror: run, onload: run }),
      make("img", { rr_dataURL: evil, src: evil }),
      make("canvas", { rr_dataURL: evil }),
      make("video", { src: evil, poster: evil, autoplay: true, rr_mediaState: "played" }),
      make("audio", { src: evil, autoplay: true }),
      make("a", { href: `javascript:${run}`, ping: evil, autofocus: true, onfocus: run }, [
        text(id++, "link"),
      ]),
      make("form", { action: evil }, [make("input", { type: "image", src: evil })]),
      make("div", { style: `background: url(${evil})`, onclick: run, onmouseover: run }),
      make("div", { style: `background-image: image-set('${evil}' 1x)` }),
      make("table", { background: evil }),
      make("details", { open: true, ontoggle: run }),
      svg(make("svg", { onload: run }, [
        svg(make("script", {}, [text(id++, run)])),
        svg(make("script", { href: evil })),
        svg(make("image", { href: evil })),
        svg(make("use", { "xlink:href": `${evil}#a` })),
        svg(make("set", { attributeName: "href", to: `javascript:${run}`, onbegin: run })),
        svg(make("rect", { width: 9, height: 9, fill: `url(${evil})` })),
        svg(make("foreignObject", {}, [make("iframe", { src: evil })])),
      ])),
      make("img", { name: "createElement", id: "body" }),
      make("form", { name: "getElementsByTagName" }),
      make("x-y", { is: "x-y" }),
    ],
  };
}
