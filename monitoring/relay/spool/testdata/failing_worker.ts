/**
 * The spool's worker with a fault, chosen by an envelope's user agent: `exit` ends it during the put of that envelope, in
 * the middle of the batch; `throw` makes it fail after the commit, before the results are sent.
 */
import process from "node:process";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { parentPort } from "node:worker_threads";
// Not imported later: messages that come before it listens are lost.
import "../worker.ts";

const prepare = DatabaseSync.prototype.prepare;
DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql: string): StatementSync {
  const statement = prepare.call(this, sql);
  if (!sql.startsWith("INSERT INTO entries")) return statement;
  const all: (...values: SQLInputValue[]) => Record<string, unknown>[] = statement.all.bind(
    statement,
  );
  const fail = (...values: SQLInputValue[]) => {
    const hasUserAgent = (name: string) => values.some((value) => `${value}`.includes(`"${name}"`));
    if (hasUserAgent("exit")) process.exit(1);
    if (hasUserAgent("throw")) failBeforeResults();
    return all(...values);
  };
  return Object.assign(statement, { all: fail });
};

function failBeforeResults(): void {
  if (!parentPort) return;
  parentPort.postMessage = () => {
    throw new Error("a fault");
  };
}
