import fs from "node:fs";
import { expect, test } from "vitest";
import { hasTerminal, type NewMachine, startNewMachine } from "./machine.ts";

const PAGE = "docs/getting-started.md";
const LONGEST = 300_000;
/** A block of commands, the block of output that follows it, and the paragraph after both. */
const STEP = /^```sh\n([\s\S]*?)^```\n\n(?:```text\n([\s\S]*?)^```\n\n)?([^\n]*(?:\n[^\n]+)*)/gm;

/** Times and hashes differ in each run. */
const maskVariableParts = (text: string): string =>
  text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, "<time>")
    .replaceAll(/\d{4}-\d\d-\d\d/g, "<day>")
    .replaceAll(/\b(?:[0-9a-f]{64}|[0-9a-f]{12})\b/g, "<hash>");

/** The lines that a page shows are the first of the output; a last line `…` stands for the others. */
function takeShownLines(output: string, shown: string): string {
  // How long checks took differs from run to run.
  const lines = output
    .replaceAll(/^took: .*\n/gm, "")
    .trimEnd()
    .split("\n");
  const count = shown.split("\n").length - 1 - (shown.endsWith("…\n") ? 1 : 0);
  return count === 0 || count >= lines.length ? `${lines.join("\n")}\n` : `${lines.slice(0, count).join("\n")}\n…\n`;
}

/** Runs every block of the page in order. Returns the page with the output that it should show. */
function followPage(page: string, machine: NewMachine): string {
  const unexpected: string[] = [];
  const isInstall = (lines: string): boolean => lines.startsWith("npm pack");
  const followed = page.replaceAll(STEP, (step: string, lines: string, shown: string | undefined, prose: string) => {
    if (isInstall(lines)) machine.enter(machine.checkout);
    const { code, out, err } = machine.run(lines, /Answer `(\w+)`/.exec(prose)?.[1]);
    if (isInstall(lines)) machine.enter(machine.root);
    const expected = Number(/exit code (\d)/.exec(prose)?.[1] ?? 0);
    if (code !== expected) unexpected.push(`${lines}exit code ${code}, not ${expected}\n${out}${err}`);
    if (shown === undefined) return step;
    const printed = takeShownLines(out, shown);
    return maskVariableParts(printed) === maskVariableParts(shown)
      ? step
      : step.replace(`\`\`\`text\n${shown}`, () => `\`\`\`text\n${printed}`);
  });
  expect(unexpected).toEqual([]);
  return followed;
}

test.skipIf(!hasTerminal)(
  "the tutorial works word for word, from the installation to a receipt (UPDATE=1 rewrites the output it shows)",
  { timeout: LONGEST },
  () => {
    using machine = startNewMachine();
    const page = fs.readFileSync(PAGE, "utf8");
    const followed = followPage(page, machine);
    if (process.env["UPDATE"]) fs.writeFileSync(PAGE, followed);
    expect(followed).toBe(fs.readFileSync(PAGE, "utf8"));
  },
);

test("every command of the tutorial is in a block that the test runs", () => {
  const page = fs.readFileSync(PAGE, "utf8");
  const blocks = [...page.matchAll(/^```(\w*)\n/gm)].map(([, kind]) => kind).filter(Boolean);
  expect([...new Set(blocks)].map(String).toSorted()).toEqual(["sh", "text"]);
  expect([...page.matchAll(STEP)].length).toBe(blocks.filter((kind) => kind === "sh").length);
});
