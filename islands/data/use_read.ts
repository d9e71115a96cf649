import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { messageOf } from "../../components/format.ts";
import { client, LIVE, retryFailed } from "./queries.ts";
import type { Answers, ViewQuery } from "./inbox.ts";
import type { TraceContent } from "../../monitoring/models/trace/trace_content.ts";
import { read as readView } from "./read.ts";
import { useIsVisible } from "./fragment.ts";

/** A value that is read, and read again when what it depends on changes. */
export interface Loaded<T> {
  readonly state: "loading" | "ready" | "failed";
  /** The last value. It stays while the next one is loading. */
  readonly value?: T | undefined;
  /** Identifies the value in the keys of what is made of it. */
  readonly version: number;
  /** Why the last attempt failed, for display. */
  readonly error?: string | undefined;
  /** Reads again; after a failure all that failed, such as the list beside it. Resolves once it is read. */
  retry(): Promise<unknown>;
}

/**
 * Reads a value when it is first needed. After a failure it is read again once the inbox answers again.
 *
 * @param key identifies the value; begins with `LIVE` (queries.ts) if it changes with what arrives
 * @param read its signal is aborted when the value is not needed any more; undefined or false: not possible yet
 * @param gcTime milliseconds that a value is kept which is not needed any more; 0: of large values
 */
export function useRead<T>(
  key: readonly unknown[],
  read: ((signal: AbortSignal) => Promise<T>) | undefined | false,
  gcTime?: number,
): Loaded<T> {
  const { data, dataUpdatedAt, status, error, isPlaceholderData, refetch } = useQuery({
    queryKey: key,
    // In an object, because React Query does not accept `undefined` as data.
    queryFn: async ({ signal }) => ({ value: read ? await read(signal) : undefined as T }),
    enabled: Boolean(read),
    ...gcTime !== undefined && { gcTime },
    placeholderData: keepPreviousData,
    // Comparing large values takes longer than rendering them again.
    structuralSharing: false,
  }, client);
  const isLoading = status === "pending" || isPlaceholderData;
  return {
    state: status === "error" ? "failed" : isLoading ? "loading" : "ready",
    value: data?.value,
    version: dataUpdatedAt,
    error: error ? messageOf(error) : undefined,
    retry: () => status === "error" ? retryFailed() : refetch(),
  };
}

/** The answer of a view, read again as data arrives while the page shows it. @param query undefined: not known yet */
export function useLiveRead<View extends keyof Answers>(
  view: View,
  query: ViewQuery | undefined,
): Loaded<Answers[View]> {
  const isVisible = useIsVisible();
  const isReadable = isVisible && query !== undefined;
  return useRead([LIVE, view, query], isReadable && (() => readView(view, query)));
}

/** What is stored of a trace, read again as it grows; the same object until then. @param traceId null: nothing is read */
export function useTraceContent(traceId: string | null): Loaded<TraceContent> {
  const isVisible = useIsVisible();
  const key = [LIVE, "trace", traceId];
  return useRead(
    key,
    isVisible && traceId !== null && (async () => {
      const known = client.getQueryData<{ value: TraceContent }>(key)?.value;
      const read = await readView("trace", { id: traceId });
      const factsOf = (content?: TraceContent) =>
        JSON.stringify({
          ...content,
          spans: content?.spans.map(({ application }) => application),
          marks: content?.marks.length,
        });
      return known && factsOf(known) === factsOf(read) ? known : read;
    }),
  );
}
