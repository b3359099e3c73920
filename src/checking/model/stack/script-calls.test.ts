import { expect, test } from "vitest";
import { findScriptCall } from "./script-calls.ts";

test.each<[Readonly<Record<string, string>>, readonly string[] | undefined]>([
  [{ test: "ava --serial" }, ["--serial"]],
  [{ test: "xo && ava && tsc" }, []],
  [{ test: "ava", posttest: "tsc" }, []],
  [{ test: "tsc --noEmit && ava" }, []],
  [{ test: "tsc && ava" }, undefined],
  [{ pretest: "tsc", test: "ava" }, undefined],
  [{ pretest: "npm run build", build: "node build.js", test: "ava" }, undefined],
  [{ test: "npm run compile && ava", compile: "tsc" }, undefined],
  [{ test: "ava && tsc && ava dist" }, undefined],
])("finds the arguments of the ava call in %j: %j", (scripts, expected) => {
  expect(findScriptCall(new Map(Object.entries(scripts)), "ava")?.args).toEqual(expected);
});
