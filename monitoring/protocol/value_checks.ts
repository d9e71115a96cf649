/** Checks of values from outside: responses, live events, other tabs. */
export type Check = (value: unknown) => boolean;

export const isText: Check = (value) => typeof value === "string";
export const isTextOrNull: Check = (value) => value === null || isText(value);
export const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
export const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
