import { describe, expect, test } from "vitest";
import { type Point, samePoint } from "./injector.ts";
import { INJECTORS } from "./injectors.ts";
import { temporaryFolder } from "../kit/folder.ts";

const point = (call: string, k: number, label: string): Point => ({ call, k, label, isWrite: true });

describe("the same point in another run", () => {
  const [one, two, three] = [point("write", 1, "log"), point("write", 4, "log"), point("write", 7, "log")];
  const first = [one, two, three];

  test("has as many calls with its label before it", () => {
    const other = [
      point("write", 2, "log"),
      point("fsync", 1, "log"),
      point("write", 3, "state"),
      point("write", 5, "log"),
    ];
    expect(samePoint(two, first, other)).toEqual(point("write", 5, "log"));
  });

  test("is the last one with its label when the other run makes fewer", () => {
    const other = [point("write", 2, "log"), point("write", 5, "log"), point("write", 6, "state")];
    expect(samePoint(three, first, other)).toEqual(point("write", 5, "log"));
  });

  test("is missing when the other run makes no such call", () => {
    expect(samePoint(one, first, [point("write", 1, "state")])).toBeUndefined();
  });
});

test.for(INJECTORS)("the points of a command that fails are not taken as a measure, by $name", async (injector) => {
  using folder = temporaryFolder();
  const run = { words: ["change", "advance", "--json"], root: folder.path, home: folder.path };
  await expect(injector.points(run)).rejects.toThrow("tenon change advance --json ended with 1 unstruck");
});
