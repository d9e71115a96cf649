import { type RefObject, useEffect, useRef, useState } from "react";

/** Milliseconds in sight before work begins: none for rows that are scrolled past. */
const REST_MS = 250;

let turns: Promise<void> = Promise.resolve();

/**
 * Lets a part of the page begin its work when it is in sight and the parts before it are done, so that many of them do
 * not stop the page.
 *
 * @param place its element
 * @returns `done` is to be called when its work has ended
 */
export function useTurn(place: RefObject<Element | null>): { isOn: boolean; done: () => void } {
  const [isOn, setOn] = useState(false);
  const end = useRef(() => {});
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isGone = false;
    const begin = () => {
      if (isGone) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      end.current = resolve;
      setOn(true);
      return promise;
    };
    const observer = new IntersectionObserver(([entry]) => {
      clearTimeout(timer);
      if (!entry?.isIntersecting) return;
      timer = setTimeout(() => {
        observer.disconnect();
        turns = turns.then(begin);
      }, REST_MS);
    });
    observer.observe(place.current!);
    return () => {
      isGone = true;
      clearTimeout(timer);
      observer.disconnect();
      end.current();
    };
  }, []);
  return { isOn, done: () => end.current() };
}
