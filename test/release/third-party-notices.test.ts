import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { FINAL_BUNDLES, MAIN_BUNDLE } from "../../scripts/bundles.ts";
import { createNotices, NOTICES_FILE } from "../../scripts/third-party-notices.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { put } from "../kit/repository.ts";

const NAMED = /^={80}\n(\S+) (\S+) \(.+\)$/gm;
const listNamedPackages = (notices: string): string[] => [...notices.matchAll(NAMED)].map(([, name = ""]) => name);

test("the notices name every package that the bundles contain", async () => {
  const bundled = new Set<string>();
  for (const bundle of [MAIN_BUNDLE, ...FINAL_BUNDLES]) {
    const { metafile } = await build({ ...bundle, metafile: true, write: false });
    for (const { inputs } of Object.values(metafile.outputs))
      for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
        const [, inside = ""] = /.*node_modules\/(.*)/.exec(path) ?? [];
        const words = inside.split("/");
        if (inside && bytesInOutput > 0) bundled.add(words.slice(0, inside.startsWith("@") ? 2 : 1).join("/"));
      }
  }
  // Their compiled grammars are copied and not bundled.
  for (const name of ["web-tree-sitter", "@vscode/tree-sitter-wasm", "tree-sitter-c"]) bundled.add(name);
  expect(bundled.size).toBeGreaterThan(10);
  expect(listNamedPackages(fs.readFileSync(NOTICES_FILE, "utf8"))).toEqual([...bundled].toSorted());
});

test("the notices name every compiled grammar that is copied", () => {
  const notices = fs.readFileSync(NOTICES_FILE, "utf8");
  const projects = { csharp: "c-sharp", tsx: "typescript" } as Record<string, string>;
  const unnamed = fs
    .readdirSync("dist/grammars")
    .map((file) => file.replace(/\.wasm$/, ""))
    .filter((name) => name !== "tree-sitter" && !notices.includes(`tree-sitter-${projects[name] ?? name} `));
  expect(unnamed).toEqual([]);
});

test("the package ships the notices", () => {
  const [packed] = JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { encoding: "utf8" }),
  );
  expect(packed.files.map(({ path }: { path: string }) => path)).toContain(NOTICES_FILE);
});

test("a package without a licence text fails the build", () => {
  using folder = temporaryFolder();
  put(folder.path, "package.json", JSON.stringify({ name: "bare", version: "1.0.0", license: "MIT" }));
  expect(() => createNotices([folder.path])).toThrow(
    /^bare ships no licence text\. Add it as .*licences\/bare\.txt\.$/,
  );
  put(folder.path, "LICENSE.md", "Do as you like.\n");
  expect(createNotices([folder.path])).toContain("bare 1.0.0 (MIT)\n\nDo as you like.\n");
  expect(listNamedPackages(createNotices([folder.path, join(folder.path, ".")]))).toEqual(["bare"]);
});
