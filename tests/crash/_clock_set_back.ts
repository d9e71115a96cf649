/**
 * Loaded before the server: each SIGUSR2 sets the clock that the server reads back by an hour; after the fifth it
 * is right again. What the operating system and timers measure stays as it is.
 */
const HOUR_MS = 3_600_000;
const MOST_HOURS = 5;

const realNow = Date.now;
let hours = 0;
Date.now = () => realNow() - hours * HOUR_MS;
Deno.addSignalListener("SIGUSR2", () => {
  hours = (hours + 1) % (MOST_HOURS + 1);
  console.log(`The clock is ${hours} h behind`);
});
