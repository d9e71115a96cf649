/**
 * Attributes that a recording may keep as they are: what makes an element look and behave as it
 * does. It is a list of what is allowed, since anything else may be text that a person reads
 * (`title`, `alt`, `placeholder`, `aria-label`, `label`, `data-*` shown by a style sheet, and what
 * HTML adds next year).
 */
const KEPT: ReadonlySet<string> = new Set([
  ..."id class type rel role lang dir for form tabindex hidden inert popover open".split(" "),
  ..."disabled checked selected readonly required multiple contenteditable".split(" "),
  ..."colspan rowspan span scope rows cols size width height media charset target method".split(
    " ",
  ),
  ..."aria-hidden aria-expanded aria-selected aria-checked aria-pressed aria-disabled".split(" "),
  ..."aria-current aria-live aria-busy aria-sort aria-controls aria-labelledby".split(" "),
  ..."aria-describedby aria-modal aria-haspopup aria-orientation aria-invalid".split(" "),
]);

/**
 * The value of an attribute as a recording may have it: kept, or with an asterisk for every
 * character that is not white space.
 */
export function maskAttribute(name: string, value: string): string {
  return KEPT.has(name.toLowerCase()) ? value : value.replace(/\S/g, "*");
}
