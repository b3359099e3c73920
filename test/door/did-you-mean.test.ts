import { expect, test } from "vitest";
import { temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";

test("an error suggests the command, client, id or choice that is close", async () => {
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
    "ci example: Missing argument `<for>`: choose github or pre-commit.",
  ]);
});
