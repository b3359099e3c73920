import { expect, test } from "vitest";
import { formatNodeName, ImpactReach, type ImpactUser } from "./impact-reach.ts";

const call = (path: string, ref: string): ImpactUser => ({ path, ref, by: "call" });
const file = (path: string): ImpactUser => ({ path, by: "import" });

const said = (reach: ImpactReach): string[] =>
  reach.found.map((each) => `${each.depth} ${each.by} ${formatNodeName(each)} of ${formatNodeName(each.via)}`);

test("lists each dependent once, by the shortest path, calls before imports", () => {
  const start = { path: "a.ts", ref: "login" };
  const reach = new ImpactReach([start], 10);
  const ring = reach.add(start, 1, [file("b.ts"), call("b.ts", "open"), file("c.ts"), call("a.ts", "login")]);
  for (const user of ring)
    reach.add(user, 2, [call("b.ts", "open"), call("a.ts", "login"), file("a.ts"), file("d.ts")]);
  expect(said(reach)).toEqual([
    "1 call b.ts#open of a.ts#login",
    "1 import c.ts of a.ts#login",
    "2 import d.ts of b.ts#open",
  ]);
});

test("reports how many dependents above the limit it leaves out", () => {
  const reach = new ImpactReach([{ path: "a.ts" }], 2);
  expect(reach.add({ path: "a.ts" }, 1, ["b.ts", "c.ts", "d.ts"].map(file)).map(formatNodeName)).toEqual([
    "b.ts",
    "c.ts",
  ]);
  expect(reach.isCut).toBe(true);
});
