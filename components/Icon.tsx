import * as lucide from "lucide";

/** Icons of Lucide (https://lucide.dev). The scripts of the page contain only these. */
export const ICONS = {
  overview: lucide.LayoutDashboard,
  errors: lucide.CircleX,
  traces: lucide.ChartGantt,
  logs: lucide.ScrollText,
  feedback: lucide.MessageSquare,
  recordings: lucide.CirclePlay,
  ai: lucide.Sparkle,
  profiles: lucide.Flame,
  tool: lucide.Wrench,
  metrics: lucide.ChartLine,
  endpoints: lucide.ArrowLeftRight,
  envelopes: lucide.Mail,
  connect: lucide.Plug,
  settings: lucide.SlidersHorizontal,
  applications: lucide.Layers,
  monitors: lucide.CalendarCheck,
  vitals: lucide.Activity,
  arrivals: lucide.Radio,
  click: lucide.MousePointerClick,
  navigation: lucide.Compass,
  request: lucide.ArrowRightLeft,
  play: lucide.Play,
  pause: lucide.Pause,
  wide: lucide.Maximize,
  search: lucide.Search,
  remove: lucide.X,
  collapse: lucide.PanelLeft,
  more: lucide.Ellipsis,
};

export type IconName = keyof typeof ICONS;

/** An icon, by its name or its shapes, in the colour and size of the text beside it. Hidden from screen readers. */
export function Icon(
  { name, shapes = ICONS[name!] }: { name?: IconName; shapes?: lucide.IconNode },
) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      {shapes.map(([Shape, attributes], key) => <Shape key={key} {...attributes as object} />)}
    </svg>
  );
}

/** The mark of the product: a window in a pipe. */
export function Mark() {
  return (
    <svg className="icon brand-mark" viewBox="0 0 32 24" aria-hidden="true">
      <path className="pipe" d="M1 5v14M31 5v14M1 9h6M25 9h6M1 15h6M25 15h6" />
      <circle className="glass" cx="16" cy="12" r="9" />
      <path className="liquid" d="M8.6 12.6q3.7-2.6 7.4 0t7.4 0a7.5 7.5 0 0 1-14.8 0z" />
    </svg>
  );
}
