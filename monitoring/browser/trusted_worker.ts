/** The part of Trusted Types that we use (https://www.w3.org/TR/trusted-types/). */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string | null }): unknown;
}

/**
 * Lets one address be a worker's under `require-trusted-types-for 'script'`, and nothing else: the
 * SDK hands a plain text to `new Worker`, so it takes the default policy. Without a rule for HTML
 * and scripts those stay refused.
 */
export function trustWorker(url: string): void {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  trustedTypes?.createPolicy("default", {
    createScriptURL: (asked) => asked === url ? asked : null,
  });
}
