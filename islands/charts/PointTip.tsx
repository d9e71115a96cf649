import type { PointerEvent, ReactNode } from "react";

/** A place in a plot: parts of its width and height from the upper left. */
type Place = readonly [x: number, y: number];

/** Pixels around a point in which the pointer is on it. */
const NEAR_PX = 10;

/** The point of a plot that is nearest to the pointer; undefined: none is near. */
export function nearestPoint<Point>(
  { clientX, clientY }: PointerEvent,
  plot: HTMLElement,
  points: readonly Point[],
  placeOf: (point: Point) => Place,
): Point | undefined {
  const box = plot.getBoundingClientRect();
  let [near, least]: [Point | undefined, number] = [undefined, NEAR_PX];
  for (const point of points) {
    const [x, y] = placeOf(point);
    const px = Math.hypot(box.left + x * box.width - clientX, box.top + y * box.height - clientY);
    if (px <= least) [near, least] = [point, px];
  }
  return near;
}

/** The value of a point, beside it: it must not cover the points around. */
export function PointTip({ at: [x, y], children }: { at: Place; children: ReactNode }) {
  const style = { [x > 0.5 ? "right" : "left"]: `calc(${(x > 0.5 ? 1 - x : x) * 100}% + 1rem)` };
  return <p className="point-tip card" style={{ ...style, top: `${y * 100}%` }}>{children}</p>;
}
