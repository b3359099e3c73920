import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/kit/folder.ts";
import { findProgram, listProjectBins } from "./program-environment.ts";
import { quoteCmdLine } from "./process-containment.ts";

function program(folder: string, path: string): string {
  const file = join(folder, path);
  fs.mkdirSync(join(file, ".."), { recursive: true });
  fs.writeFileSync(file, "#!/bin/sh\n", { mode: 0o755 });
  return file;
}

test("finds a project's own programs first, the nearest before those further up, and none above the workspace", () => {
  using folder = temporaryFolder();
  const root = join(folder.path, "workspace");
  const inside = join(root, "packages", "web");
  fs.mkdirSync(inside, { recursive: true });
  const onPath = program(folder.path, "path/vitest");
  program(folder.path, "node_modules/.bin/vitest");
  const path = `relative:${join(folder.path, "path")}`;
  const find = (name: string): unknown => findProgram(name, inside, listProjectBins(inside, root), path);
  expect(find("vitest")).toBe(onPath);
  const shared = program(root, "node_modules/.bin/vitest");
  expect(find("vitest")).toBe(shared);
  const near = program(inside, "node_modules/.bin/vitest");
  expect(find("vitest")).toBe(near);
  const pytest = program(root, ".venv/bin/pytest");
  expect(find("pytest")).toBe(pytest);
  expect(listProjectBins(inside)).toEqual([join(inside, "node_modules", ".bin")]);
  expect(listProjectBins(inside, join(folder.path, "elsewhere"))).toEqual([join(inside, "node_modules", ".bin")]);
});

test("passes arguments to a command script literally", () => {
  expect(quoteCmdLine("C:\\a b\\x.cmd", ["run", "a & b"])).toBe('""C:\\a b\\x.cmd" "run" "a & b""');
  expect(() => quoteCmdLine("x.cmd", ["%PATH%"])).toThrow('"%PATH%" cannot be passed to a command script.');
  expect(() => quoteCmdLine("x.cmd", ['" & del'])).toThrow("cannot be passed");
});
