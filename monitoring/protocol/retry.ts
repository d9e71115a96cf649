/**
 * Whether a later attempt may be accepted: 408, 425, 5xx, and what is neither success nor refusal, such as redirects,
 * which are never followed. Not 429: its headers name what is limited, and for how long.
 */
export function isRetryable(status: number): boolean {
  return status < 200 || (status >= 300 && status < 400) || status >= 500 || status === 408 ||
    status === 425;
}
