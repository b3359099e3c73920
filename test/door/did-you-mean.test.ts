import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";

test("suggests the nearest command, client, id or choice", async () => {
  using repository = temporaryRepository();
  using house = testHouse(repository.path);
  await house.run("change", "start", "Fix login", "--type", "fix", "--size", "small");
  await house.run("feature", "Log in", "--id", "AUTH-001");
  const lines = ["statsu", "change strat", "setup claude-code", "review desgin", "change status fix-logn"];
  const answers: string[] = [];
  for (const line of [...lines, "workflow status AUTH-01", "ci example"]) {
    const { err } = await house.run(...line.split(" "));
    answers.push(`${line}: ${/(?:Did you mean [^?]*\?|Missing argument [^.]*\.)/.exec(err)?.[0]}`);
  }
  expect(answers).toEqual([
    'statsu: Did you mean "status"?',
    'change strat: Did you mean "change start"?',
    'setup claude-code: Did you mean "claude"?',
    'review desgin: Did you mean "design"?',
    'change status fix-logn: Did you mean "fix-login"?',
    'workflow status AUTH-01: Did you mean "AUTH-001"?',
    "ci example: Missing argument `<for>`: choose github, pre-commit or pre-receive.",
  ]);
});

test("corrects one word and keeps the others, finds an id by its beginning, and does not guess short words", async () => {
  using repository = temporaryRepository();
  using house = testHouse(repository.path);
  await house.run("change", "start", "Fix login for guests", "--type", "fix", "--size", "small");
  const write = (name: string, text: string): void => fs.writeFileSync(join(repository.path, name), text);
  write("NOTES.md", "# Notes\n");
  write("walk.js", "export const walk = () => 1;\n");
  write("walk.d.ts", "export declare function walk(): number;\n");
  const ask = async (line: string) => {
    const { err } = await house.run(...line.split(" "));
    const [what, ...rest] = err
      .replace(/^note: .*\n/, "")
      .replaceAll(/\n {2}/g, " ")
      .trim()
      .split("\n");
    return [what?.replace(/^error\[.*?\]: /, ""), ...rest];
  };
  const answers = [
    await ask("chnage start Rename"),
    await ask("chnage start"),
    await ask("wave"),
    await ask("--hlep"),
    await ask("ci exampel github"),
    await ask("ci example githb"),
    await ask("change status fix-lo"),
    await ask("trace NOTES.md"),
    await ask("completion"),
    await ask("completion zhs"),
  ];
  expect(answers).toEqual([
    ['Unknown command "chnage". Did you mean "change"?', "try: tenon change start Rename"],
    ['Unknown command "chnage". Did you mean "change"?', "try: tenon change start --help"],
    ['Unknown command "wave". `tenon help` lists all commands.', "try: tenon help"],
    ['Unknown command "--hlep". Did you mean "--help"?', "try: tenon --help"],
    ['Unknown command "ci exampel". Did you mean "ci example"?', "try: tenon ci example github"],
    ['Unknown choice "githb". Did you mean "github"? Nothing was changed.', "try: tenon ci example github"],
    ['Unknown change fix-lo. Did you mean "fix-login-for-guests"?', "try: tenon change list"],
    [
      'No code in the file "NOTES.md". Only files of code have a trace of their own.',
      "try: tenon query NOTES.md",
      "try: tenon trace",
    ],
    ["Missing argument `<shell>`: choose bash, zsh or fish. Nothing was printed.", "try: tenon completion bash"],
    ['Unknown shell "zhs". Did you mean "zsh"? Nothing was printed.', "try: tenon completion zsh"],
  ]);
  // Typings repeat the symbols of the code beside them.
  expect((await house.run("impact", "walk")).out).toContain("walk.js#walk");
});

test("suggests the right name of a misspelled check in the settings and in a profile", async () => {
  using repository = temporaryRepository();
  using house = testHouse(repository.path);
  await house.run("init");
  const write = (path: string, text: string): void => {
    fs.mkdirSync(join(repository.path, path, ".."), { recursive: true });
    fs.writeFileSync(join(repository.path, path), text);
  };
  const readHint = ({ out }: { out: string }) => /"[\w-]+"[^?;]*\?/.exec(out.replaceAll(/\n\s*/g, " "))?.[0];
  const ask = async (line: string) => `${line}: ${readHint(await house.run(...line.split(" ")))}`;
  write("sdd/config.yaml", 'gates:\n  waived:\n    lnt: "A script checks the style"\n');
  const lint = '"lnt" is not a key of gates.waived (did you mean "lint"?';
  expect([await ask("status"), await ask("doctor"), await ask("feature Log-in")]).toEqual([
    `status: ${lint}`,
    `doctor: ${lint}`,
    `feature Log-in: ${lint}`,
  ]);
  write("sdd/config.yaml", "stack:\n  directories: { .: pythn-fastapi }\n");
  expect(await ask("stack")).toBe('stack: "pythn-fastapi" (did you mean "python-fastapi"?');
  write("sdd/config.yaml", "");
  write("sdd/stacks/own.yaml", "extends: ruts\noff: [fromat]\ninstead: { types: biuld }\n");
  const { out } = await house.run("stack");
  expect(out.match(/did you mean "\w+"/g)).toEqual(['did you mean "format"', 'did you mean "build"']);
  write("sdd/stacks/own.yaml", "extends: ruts\n");
  expect(await ask("stack")).toBe('stack: "ruts" (did you mean "rust"?');
});
