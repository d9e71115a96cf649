export const GREETING = "hello";
