import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { expect, test } from "vitest";
import { CLI_COMMANDS } from "#doors/cli/command-table.ts";
import { createManPage, MAN_PAGE_PATH } from "../../scripts/man-page.ts";

const page = createManPage()[MAN_PAGE_PATH] ?? "";

test("the package ships a man page with every command", () => {
  const manifest = JSON.parse(fs.readFileSync("package.json", "utf8")) as { man: string[]; files: string[] };
  expect([manifest.man, manifest.files.includes("man")]).toEqual([[`./${MAN_PAGE_PATH}`], true]);
  expect(fs.readFileSync(MAN_PAGE_PATH, "utf8")).toBe(page);
  const missing = CLI_COMMANDS.filter(({ path }) => !page.includes(`.SS tenon ${path.replaceAll("-", "\\-")}`));
  expect(missing).toEqual([]);
});

test("escapes text that groff would read as a request", () => {
  const requests = page.split("\n").filter((line) => /^[.']/.test(line));
  expect(requests.filter((line) => !/^\.(?:\\" |TH |SH |SS |TP$|B |PP$|nf$|fi$)/.test(line))).toEqual([]);
});

const hasGroff = spawnSync("groff", ["--version"]).status === 0;

test.skipIf(!hasGroff)("groff renders the man page without a warning", () => {
  const { stderr, status } = spawnSync("groff", ["-man", "-Tutf8", "-ww", MAN_PAGE_PATH], { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
});
