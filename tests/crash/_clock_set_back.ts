/**
 * Loaded before the server: each SIGUSR2 sets `Date.now` back by another hour, up to five; the next one sets it right
 * again. Timers and the operating system's clock stay unchanged.
 */
const HOUR_MS = 3_600_000;
const MAX_HOURS = 5;

const realNow = Date.now;
let hours = 0;
Date.now = () => realNow() - hours * HOUR_MS;
Deno.addSignalListener("SIGUSR2", () => {
  hours = (hours + 1) % (MAX_HOURS + 1);
  console.log(`The clock is ${hours} h behind`);
});
