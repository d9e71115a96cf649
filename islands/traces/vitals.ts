import type { ShownVital } from "./Axis.tsx";
import { formatFineDuration } from "../../components/format.ts";
import type { PlacedVital } from "../../monitoring/models/trace/trace.ts";
import { rateVital, VITALS } from "../../monitoring/models/trace/web_vitals.ts";

/** Web vitals in words. */
export function shownVitals(vitals: readonly PlacedVital[]): ShownVital[] {
  return vitals.map((vital) => ({
    name: vital.name,
    title: VITALS[vital.name].title,
    value: vital.name === "cls" ? vital.value.toFixed(2) : formatFineDuration(vital.value),
    rating: rateVital(vital),
    at_ms: vital.at_ms,
  }));
}
