/** What a recording may contain to be displayed. Everything else is removed. */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Elements of HTML and SVG that load, run and submit nothing. */
const ELEMENTS = words(`
  a abbr acronym address area article aside b bdi bdo big blockquote body br button canvas caption center
  cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em fieldset figcaption figure
  font footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html i img input ins kbd label legend li main map
  mark menu meter nav nobr ol optgroup option output p picture pre progress q rp rt ruby s samp search section
  select small span strike strong style sub summary sup table tbody td textarea tfoot th thead time title tr tt
  u ul var wbr
  svg g defs desc symbol use path rect circle ellipse line polyline polygon text tspan textpath marker mask
  pattern clippath lineargradient radialgradient stop filter foreignobject image switch metadata
  feblend fecolormatrix fecomponenttransfer fecomposite feconvolvematrix fediffuselighting fedisplacementmap
  fedistantlight fedropshadow feflood fefunca fefuncb fefuncg fefuncr fegaussianblur femerge femergenode
  femorphology feoffset fepointlight fespecularlighting fespotlight fetile feturbulence
`);

/** Elements that are not visible. What replaces them must not be either. */
const INVISIBLE = words(`
  script noscript template meta base param source track animate animatemotion animatetransform set
  noembed noframes
`);

/** A custom element, which has no definition here. */
const CUSTOM_ELEMENT = /^[a-z][a-z0-9._]*-[a-z0-9._-]*$/;

/** The element that is displayed for a recorded one. */
export function allowedElement(tagName: string): "as recorded" | "hidden" | "a box" {
  const name = tagName.toLowerCase();
  if (ELEMENTS.has(name) || CUSTOM_ELEMENT.test(name)) return "as recorded";
  return INVISIBLE.has(name) ? "hidden" : "a box";
}

/** Without `name`, which could replace methods of the document, and without whatever focuses or submits. */
const ATTRIBUTES = words(`
  abbr align alt axis bgcolor border cellpadding cellspacing char charoff checked class clear color cols
  colspan compact datetime dir disabled face for frame headers height hidden high hspace id inert label lang
  low max maxlength media min minlength multiple noshade nowrap open optimum part placeholder popover pubdate
  readonly required reversed role rows rowspan rules scope selected shape size slot span start step style
  summary tabindex text title translate type valign value vspace width wrap
  alignment-baseline amplitude azimuth basefrequency baseline-shift baseprofile bias clip clip-path clip-rule
  clippathunits color-interpolation color-interpolation-filters cx cy d diffuseconstant direction display
  divisor dominant-baseline dx dy edgemode elevation exponent fill fill-opacity fill-rule filter filterunits
  flood-color flood-opacity font-family font-size font-size-adjust font-stretch font-style font-variant
  font-weight fr fx fy gradienttransform gradientunits in in2 intercept k1 k2 k3 k4 kernelmatrix
  kernelunitlength lengthadjust letter-spacing lighting-color limitingconeangle marker-end marker-mid
  marker-start markerheight markerunits markerwidth mask mask-type maskcontentunits maskunits mode numoctaves
  offset opacity operator order orient overflow paint-order pathlength patterncontentunits patterntransform
  patternunits pointer-events points preservealpha preserveaspectratio primitiveunits r radius refx refy
  result rotate rx ry scale seed shape-rendering slope specularconstant specularexponent spreadmethod
  startoffset stddeviation stitchtiles stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset
  stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width surfacescale systemlanguage
  tablevalues targetx targety text-anchor text-decoration text-rendering textlength transform
  transform-origin unicode-bidi vector-effect version viewbox visibility word-spacing writing-mode x x1 x2
  xchannelselector xmlns y y1 y2 ychannelselector z
`);

/** Pictures within the recording. SVG as an image runs no scripts and loads nothing. */
const DATA_IMAGE = /^data:image\/[\w.+-]+[;,]/i;
const FRAGMENT = /^#[^\s]*$/;

/**
 * The value to display for a recorded attribute; undefined: the attribute is removed.
 *
 * @param name lower or camel case
 */
export function allowedAttribute(name: string, value: string): string | undefined {
  const lower = name.toLowerCase();
  if (lower === "href" || lower === "xlink:href") {
    return FRAGMENT.test(value) || DATA_IMAGE.test(value) ? value : undefined;
  }
  if (lower === "src" || lower === "rr_dataurl") return DATA_IMAGE.test(value) ? value : undefined;
  if (lower === "_csstext") return allowedCss(value);
  const isKnown = ATTRIBUTES.has(lower) || /^(aria|data)-[\w.-]+$/.test(lower);
  if (!isKnown) return undefined;
  // Presentation attributes of SVG may have addresses, too.
  return lower === "style" || value.includes("(") ? allowedCss(value) : value;
}

/** Escapes of letters, which could hide the words below. */
const ESCAPED = /\\([0-9a-f]{1,6})\s?|\\([g-z])/gi;
const URL_FUNCTION = /url\(\s*(?:"([^"]*)"|'([^']*)'|([^)]*))\s*\)?/gi;
const KEPT_URL = /^\s*(#|data:(image|font|application\/(x-)?font))/i;
/** Further ways to name an address; `src` and `image` only as functions. */
const OTHER_ADDRESSES = /@import|image-set\(|\b(?:src|image|cross-fade)\(/gi;

/** A style sheet, rule, declarations or value without addresses of other documents. */
export function allowedCss(css: string): string {
  return css
    .replace(ESCAPED, (escape, hex: string | undefined, letter: string | undefined) => {
      const unescaped = letter ?? String.fromCodePoint(Math.min(parseInt(hex!, 16), 0x10ffff));
      return /^[a-z]$/i.test(unescaped) ? unescaped : escape;
    })
    .replace(URL_FUNCTION, (found, double?: string, single?: string, bare?: string) => {
      const url = double ?? single ?? bare ?? "";
      return KEPT_URL.test(url) ? found : "url(data:,)";
    })
    .replace(OTHER_ADDRESSES, (word) => `-removed-${word.replace(/^@/, "")}`);
}
