/** What is replaced of rrweb's replayer, and which of its private parts are used. */
import { Replayer } from "@sentry/rrweb";
import type { FromPlayer } from "../protocol/player_messages.ts";
import type { Fields, SafeEvent } from "./sanitizer.ts";

/** The private parts of a replayer that are replaced or used. Those of version 2.43.2, which `deno.json` pins. */
export interface Internals {
  iframe: unknown;
  wrapper: HTMLElement;
  usingVirtualDom: boolean;
  mirror: { getNode(id: number): Node | null };
  styleMirror: {
    add(sheet: CSSStyleSheet, id: number): void;
    getStyle(id: number): CSSStyleSheet | null;
  };
  pointers: Record<number, unknown>;
  setupDom(): void;
  createPointer(id: number): void;
  applyIncremental(event: SafeEvent & { data: Incremental }, isSync: boolean): void;
  applyStyleSheetRule(changes: Fields, sheet: CSSStyleSheet): void;
  speedService: { state: { matches(state: string): boolean } };
  service: {
    state: {
      context: {
        events: { timestamp: number }[];
        /** Null: nothing was played. */
        lastPlayedEvent: { type: number; timestamp: number } | null;
      };
    };
  };
}

export interface SafeNode {
  readonly tagName?: string;
  readonly textContent?: string;
  readonly childNodes?: readonly SafeNode[];
}

/** Milliseconds that a click is shown. */
const CLICK_MS = 500;

/** What is used of a change of the page. */
export interface Incremental {
  readonly source: number;
  /** Of a mutation; others have something else here. */
  readonly adds: readonly { readonly node: SafeNode & { readonly id: number } }[];
  /** Of adopted style sheets: their host, all of them, and those that are new. */
  readonly id: number;
  readonly styleIds: readonly number[];
  readonly styles?: readonly { readonly styleId: number; readonly rules: unknown }[];
}

const internals = Replayer.prototype as unknown as Internals;

/**
 * Replaces the inner frame and the pointer of the stock replayer.
 *
 * @param send gets the size of the page and where the pointer is
 */
export function replaceParts(send: (message: FromPlayer) => void): void {
  internals.setupDom = function () {
    const size = { width: 1, height: 1 };
    this.wrapper = document.createElement("div");
    this.iframe = {
      contentDocument: document,
      contentWindow: window,
      style: {},
      setAttribute(name: "width" | "height", value: string) {
        size[name] = Number(value);
        if (name === "height") send({ is: "size", ...size });
      },
    };
  };

  // The console draws the pointer: here it would be part of the recorded document.
  internals.createPointer = function (id) {
    const position = { x: 0, y: 0, pressed: false };
    let isScheduled = false;
    const show = () => {
      if (isScheduled) return;
      isScheduled = true;
      requestAnimationFrame(() => {
        isScheduled = false;
        send({ is: "pointer", ...position });
      });
    };
    let release: ReturnType<typeof setTimeout> | undefined;
    const press = (pressed: boolean) => (name: string) => {
      if (name !== "active" && name !== "touch-active") return;
      position.pressed = pressed;
      clearTimeout(release);
      // A click has no end; a touch has one.
      if (pressed && name === "active") release = setTimeout(press(false), CLICK_MS, name);
      show();
    };
    const style = {
      set left(x: string) {
        position.x = parseFloat(x);
        position.pressed = false;
        show();
      },
      set top(y: string) {
        position.y = parseFloat(y);
        show();
      },
    };
    this.pointers[id] = {
      touchActive: null,
      pointerPosition: null,
      tailPositions: [],
      mouseTail: null,
      pointerEl: {
        style,
        offsetWidth: 0,
        classList: { add: press(true), remove: press(false) },
        remove() {},
      },
    };
  };
}

/** rrweb's `IncrementalSource`. */
export const [MUTATION, ADOPTED_STYLE_SHEETS] = [0, 15];
/** Ids of the style sheets that the document and each host of a shadow root have adopted, by the id of these. */
const adopted = new Map<number, readonly number[]>();

/**
 * Adopts style sheets in place of the stock replayer, which loses a sheet that was recorded before the content of its
 * shadow root, or with a component that is not shown; what changes a sheet that is new in a seek; and all sheets of a
 * component that is moved.
 */
const { applyIncremental } = internals;
internals.applyIncremental = function (event, isSync) {
  const { source, id, styleIds, styles = [], adds } = event.data;
  if (source === ADOPTED_STYLE_SHEETS) {
    for (const { styleId, rules } of styles) {
      const sheet = new CSSStyleSheet();
      this.styleMirror.add(sheet, styleId);
      this.applyStyleSheetRule({ adds: rules }, sheet);
    }
    adopted.set(id, styleIds);
  } else applyIncremental.call(this, event, isSync);
  // A seek changes the document at its end only.
  if (this.usingVirtualDom) return;
  const hosts = source === MUTATION ? adds.map(({ node }) => node.id) : [id];
  for (const host of hosts) adoptStyles(this, host);
};

/** Adopts them again at the end of a seek. */
export function adoptAllStyles(replayer: Replayer): void {
  for (const id of adopted.keys()) adoptStyles(replayer as unknown as Internals, id);
}

function adoptStyles({ mirror, styleMirror }: Internals, id: number): void {
  const host = mirror.getNode(id);
  const sheets = adopted.get(id)?.map((styleId) => styleMirror.getStyle(styleId));
  if (sheets === undefined) return;
  let root: DocumentOrShadowRoot | null = host === document ? document : null;
  if (host instanceof HTMLElement) root = host.shadowRoot ?? tryAttachShadow(host);
  if (root) root.adoptedStyleSheets = sheets.filter((sheet) => sheet !== null);
}

/** Null: such an element has no shadow root, and no recorder sends sheets of it. */
function tryAttachShadow(host: HTMLElement): ShadowRoot | null {
  try {
    return host.attachShadow({ mode: "open" });
  } catch (error) {
    if (error instanceof DOMException) return null;
    throw error;
  }
}

// rrweb opens the document to empty it. Opening the own document would end this script's listeners.
Object.defineProperties(document, {
  open: {
    value() {
      document.replaceChildren();
      document.adoptedStyleSheets = [];
      adopted.clear();
    },
  },
  close: { value: () => {} },
});
