import { expect, test } from "vitest";
import { nameOfNode, Reach, type User } from "./reach.ts";

const call = (path: string, ref: string): User => ({ path, ref, by: "call" });
const file = (path: string): User => ({ path, by: "import" });

const said = (reach: Reach): string[] =>
  reach.found.map((each) => `${each.depth} ${each.by} ${nameOfNode(each)} of ${nameOfNode(each.via)}`);

test("each is told once, by the shortest way, and by a call rather than an import", () => {
  const start = { path: "a.ts", ref: "login" };
  const reach = new Reach([start], 10);
  const ring = reach.add(start, 1, [file("b.ts"), call("b.ts", "open"), file("c.ts"), call("a.ts", "login")]);
  for (const user of ring)
    reach.add(user, 2, [call("b.ts", "open"), call("a.ts", "login"), file("a.ts"), file("d.ts")]);
  expect(said(reach)).toEqual([
    "1 call b.ts#open of a.ts#login",
    "1 import c.ts of a.ts#login",
    "2 import d.ts of b.ts#open",
  ]);
});

test("what is over the number is not told, and said to be missing", () => {
  const reach = new Reach([{ path: "a.ts" }], 2);
  expect(reach.add({ path: "a.ts" }, 1, ["b.ts", "c.ts", "d.ts"].map(file)).map(nameOfNode)).toEqual(["b.ts", "c.ts"]);
  expect(reach.isCut).toBe(true);
});
