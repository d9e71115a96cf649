import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { INBOX_SCHEMA } from "./schema.ts";

/** Of the tables of each version from 23 on. */
const TABLES: Readonly<Record<number, string>> = {
  23: "5cb792f153f8c082d6e089e0410f135974898ce4074c08c088c13459006f25be",
  24: "5cb792f153f8c082d6e089e0410f135974898ce4074c08c088c13459006f25be",
  25: "5cb792f153f8c082d6e089e0410f135974898ce4074c08c088c13459006f25be",
  26: "c9c4e5acc072c9a467211131f231c448c4f51247a54ff850008aa4b3e9213993",
  27: "c9c4e5acc072c9a467211131f231c448c4f51247a54ff850008aa4b3e9213993",
  28: "774c968c8be8447e62fcef6f62e1bd71e80b1d432c80ad4609ba718b53612bd0",
  29: "30cd32123753ea78b52f9a1a15389e57ab0b9ad1f8a7ec4f805e05b1686f2dd8",
  30: "30cd32123753ea78b52f9a1a15389e57ab0b9ad1f8a7ec4f805e05b1686f2dd8",
  31: "3f7287252ef2c235201a4131f71512f0f1acb81500e3e664dba6e1be245f7778",
  32: "5f8dd8637a715215d5e24030633966be07253ec1fa1f8838eeca579b820aa40f",
  33: "5f8dd8637a715215d5e24030633966be07253ec1fa1f8838eeca579b820aa40f",
  34: "5f8dd8637a715215d5e24030633966be07253ec1fa1f8838eeca579b820aa40f",
};

Deno.test("tables of another text → another version, else files of the last one do not open", () => {
  const { version, create, upgrades } = INBOX_SCHEMA;
  assert.equal(hash("sha256", create), TABLES[version], `Tables have changed: raise ${version}`);
  assert.ok(upgrades?.[version - 1] !== undefined, `no upgrade from ${version - 1}`);
});
