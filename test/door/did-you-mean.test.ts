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
