import { expect, test } from "vitest";
import { extractFilePaths } from "./file-ownership.ts";

const known = new Set([
  "src/a.ts",
  "src/auth/login.ts",
  "Makefile",
  "src/my notes.md",
  "app/[id]/page.tsx",
  "lib/x#1.py",
]);
const read = (location: string): string[] => extractFilePaths(location, (path) => (known.has(path) ? path : undefined));

test.each([
  ["src/a.ts", ["src/a.ts"]],
  ["src/a.ts:12", ["src/a.ts"]],
  ["src/a.ts:12:5", ["src/a.ts"]],
  ["src/a.ts:12-20", ["src/a.ts"]],
  ["src/a.ts:L12", ["src/a.ts"]],
  ["src/a.ts#login", ["src/a.ts"]],
  ["src/a.ts::Session::login", ["src/a.ts"]],
  ["src/a.ts:login()", ["src/a.ts"]],
  ["src/a.ts (login)", ["src/a.ts"]],
  ["`src/a.ts`", ["src/a.ts"]],
  ["`src/a.ts:12`", ["src/a.ts"]],
  ["`src/a.ts`:12", ["src/a.ts"]],
  ["**src/a.ts**", ["src/a.ts"]],
  ['"src/a.ts".', ["src/a.ts"]],
  ["./src/a.ts", ["src/a.ts"]],
  ["src\\auth\\login.ts", ["src/auth/login.ts"]],
  ["src/a.ts, src/auth/login.ts:3", ["src/a.ts", "src/auth/login.ts"]],
  ["src/a.ts:1 and src/a.ts:9", ["src/a.ts"]],
  ["[src/a.ts](src/a.ts)", ["src/a.ts"]],
  ["Makefile", ["Makefile"]],
  ["src/my notes.md:4", ["src/my notes.md"]],
  ["app/[id]/page.tsx:4", ["app/[id]/page.tsx"]],
  ["lib/x#1.py", ["lib/x#1.py"]],
  ["src/nobody.ts:3", ["src/nobody.ts"]],
  ["package.json", ["package.json"]],
  ["Spec 1.AC2", []],
  ["Spec 1", []],
  ["S1.AC2", []],
  ["user-login.S1.AC2", []],
  ["2.1", []],
  ["AuthService.login", []],
  ["GET /users", []],
  ["GET /users/export.csv", []],
  ["https://example.org/a.ts", []],
  ["/etc/hosts.conf", []],
  ["../other/a.ts", []],
  ["and/or", []],
  ["v1.2/v1.3", []],
  ["e.g. the session", []],
  ["Dockerfile", []],
  ["", []],
])("reads %j as the files %j", (location, files) => {
  expect(read(location)).toEqual(files);
});
