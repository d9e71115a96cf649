/** Which scripts of the build are monitoring's, by file name; each stands in one of the lists. */
export interface MonitoringScripts {
  readonly telemetry: readonly string[];
  readonly recording: readonly string[];
  readonly worker: readonly string[];
  /** Bytes of it, not compressed, within the scripts that the page loads first. */
  readonly firstBytes: number;
}

/** A finished request, as Resource Timing tells of it. */
export interface LoadedResource {
  /** The address. */
  readonly name: string;
  /** Bytes that came over the network, headers too; 0: from the cache. */
  readonly transferSize: number;
  /** Bytes of the body as it was sent or kept, compressed. */
  readonly encodedBodySize: number;
  /** Milliseconds on the page's clock. */
  readonly responseEnd: number;
}

/** What some requests came to. */
export interface LoadSum {
  readonly requests: number;
  /** Bodies as they were sent, compressed; bytes. */
  readonly bodyBytes: number;
  /** Bytes over the network, headers too. */
  readonly networkBytes: number;
  /** How many came from this browser's cache. */
  readonly cached: number;
  /** When the last of them was there, milliseconds on the page's clock; 0: none came. */
  readonly endedAt: number;
}

/** Adds up requests. */
export function sumOf(resources: readonly LoadedResource[]): LoadSum {
  return {
    requests: resources.length,
    bodyBytes: resources.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    networkBytes: resources.reduce((sum, { transferSize }) => sum + transferSize, 0),
    cached: resources.filter(isCached).length,
    endedAt: Math.max(0, ...resources.map(({ responseEnd }) => responseEnd)),
  };
}

const isCached = ({ transferSize, encodedBodySize }: LoadedResource) =>
  transferSize === 0 && encodedBodySize > 0;
