/**
 * Whether a later attempt with the same envelope may be accepted: 408, 425, 5xx, and everything that is neither success
 * nor refusal, such as redirects, which are never followed. 429 is not included: its headers name what is limited and for
 * how long.
 *
 * @param status of the response of a relay or an ingest
 */
export function isRetryable(status: number): boolean {
  return status < 200 || (status >= 300 && status < 400) || status >= 500 || status === 408 ||
    status === 425;
}
