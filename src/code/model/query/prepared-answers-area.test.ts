import { expect, test } from "vitest";
import { groupProjectAreas, type FileUsage } from "./prepared-answers.ts";

const file = (path: string, components = 3, importers = 0): FileUsage => ({ path, components, importers });
const names = (...files: FileUsage[]): string[] =>
  groupProjectAreas(files, 10).map(({ name, places }) => `${name}: ${places.join(", ")}`);

test.each([
  {
    why: "joins folders of one name into an area, the most used first",
    files: [file("src/api/auth/a.ts"), file("src/db/auth/b.ts", 3, 4), file("src/mail/c.ts"), file("src/pay/d.ts", 9)],
    areas: ["auth: src/db/auth, src/api/auth", "pay: src/pay", "mail: src/mail"],
  },
  {
    why: "lists files as areas in a project with few folders",
    files: [file("src/login.ts", 4), file("src/mail.ts", 2), file("src/index.ts", 5), file("src/one.ts", 1)],
    areas: ["login: src/login.ts", "mail: src/mail.ts"],
  },
  { why: "lists no areas in an empty project", files: [], areas: [] },
])("$why", ({ files, areas }) => {
  expect(names(...files)).toEqual(areas);
});

test("keeps the largest", () => {
  const files = Array.from({ length: 50 }, (_, i) => file(`src/area${i}/x.ts`, i + 2));
  expect(groupProjectAreas(files, 3).map(({ name }) => name)).toEqual(["area49", "area48", "area47"]);
});
