import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createComponentRefs } from "#code/model/index/code-outline.ts";
import { syntax } from "../scan/code-scans.ts";

/** All that our formatter can do otherwise than it does here. */
const OTHERWISE = {
  printWidth: 60,
  useTabs: true,
  singleQuote: true,
  semi: false,
  trailingComma: "none",
  arrowParens: "avoid",
  quoteProps: "consistent",
  bracketSpacing: false,
  objectWrap: "collapse",
};

async function hashes(path: string, folder: string): Promise<string[]> {
  const { components = [] } = (await syntax.outline(path, fs.readFileSync(join(folder, path), "utf8"))) ?? {};
  return createComponentRefs(components).map((ref, at) => `${ref} ${components[at]?.hash}`);
}

test("keeps every hash of Tenon's own code in a different format", async () => {
  const folder = fs.mkdtempSync(join(os.tmpdir(), "tenon-formatted-"));
  const own = "src";
  try {
    fs.cpSync(own, folder, { recursive: true });
    fs.writeFileSync(join(folder, ".oxfmtrc.json"), JSON.stringify(OTHERWISE));
    execFileSync(fs.realpathSync("node_modules/.bin/oxfmt"), [], { cwd: folder, stdio: "ignore" });
    const all = fs.readdirSync(own, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
    const paths = all.toSorted().filter((_, at) => at % 4 === 0 || process.env["TENON_FULL"] !== undefined);
    const isOther = (path: string): boolean =>
      fs.readFileSync(join(own, path), "utf8") !== fs.readFileSync(join(folder, path), "utf8");
    expect(paths.filter(isOther).length).toBeGreaterThan(50);
    for (const path of paths) expect(await hashes(path, folder)).toEqual(await hashes(path, own));
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});
