/** Milliseconds until a navigation is left to the browser, which can say what is wrong. */
const TIMEOUT_MS = 10_000;

/** Where the data of the page at this address is. */
export function pageDataAddress({ href }: Pick<URL, "href">): URL {
  const address = new URL(href);
  address.hash = "";
  address.search += `${address.search && "&"}fresh-partial=true`;
  return address;
}

/** The element that holds a page's own content, and names its build. */
export function pageIn(document: Document): HTMLElement | null {
  return document.querySelector("[data-page]");
}

/**
 * Fetches the data of a page. Rejects where there is none to be had: no answer, none in time, an
 * error, no HTML, another address's. A document from `XMLHttpRequest` runs no scripts and needs no
 * Trusted Types policy, unlike one from `DOMParser`.
 */
export function receivePageData(request: XMLHttpRequest, page: URL): Promise<Document> {
  const address = pageDataAddress(page);
  request.open("GET", address);
  request.responseType = "document";
  request.timeout = TIMEOUT_MS;
  request.send();
  return new Promise((resolve, reject) => {
    request.onloadend = () => {
      const { response, responseURL, status } = request;
      if (response && status === 200 && responseURL === address.href) resolve(response);
      else reject();
    };
  });
}
