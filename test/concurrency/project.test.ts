import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { type Finished, tenon, tenonAsync } from "../kit/process.ts";
import { ownHouse } from "../kit/own-house.ts";
import { TIDES } from "../kit/project.ts";

interface Answer {
  readonly passed?: boolean;
  readonly project?: { readonly rev: number };
  readonly error?: { readonly code: string };
}

const flags = (input: Readonly<Record<string, string>>): string[] =>
  Object.entries(input).flatMap(([name, text]) => [`--${name.replaceAll("_", "-")}`, text]);
const INIT = ["project", "init", ...flags(TIDES.init), "--json"];
const propose = (solution: string): string[] => [
  "project",
  "propose",
  ...flags({ ...TIDES.propose, proposed_solution: solution }),
  "--json",
];
const getAnswer = ({ out, err }: Finished): Answer => JSON.parse(out || err) as Answer;

async function happened(root: string): Promise<string[]> {
  const house = ownHouse(root);
  const { store } = await house.open({ argument: root });
  const events = await store.events(0);
  house.close();
  return events.map(({ kind }) => kind);
}

test("one of four sessions starts the project, and the others get a reason", async () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  const env = { TENON_HOME: home.path };
  const finished = await Promise.all([1, 2, 3, 4].map(() => tenonAsync(INIT, { cwd: repository.path, env })));
  expect(finished.map((each) => getAnswer(each).error?.code ?? "begun").toSorted()).toEqual([
    "begun",
    "project.exists",
    "project.exists",
    "project.exists",
  ]);
  expect(await happened(repository.path)).toEqual(["project.started"]);
});

test.each([1, 2, 3])("lets one of four sessions end a stage and keeps its text (%i)", async () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  const settings = { cwd: repository.path, env: { TENON_HOME: home.path } };
  tenon(INIT, settings);
  const names = ["first", "second", "third", "fourth"];
  const finished = await Promise.all(names.map((name) => tenonAsync(propose(`The ${name} page.`), settings)));
  const answers = finished.map(getAnswer);
  expect(answers.map(({ passed, error }) => (passed ? "ended" : String(error?.code))).toSorted()).toEqual([
    "ended",
    "project.other-stage",
    "project.other-stage",
    "project.other-stage",
  ]);
  const winner = answers.findIndex(({ passed }) => passed);
  const text = fs.readFileSync(join(repository.path, "sdd/proposal.md"), "utf8");
  expect(names.filter((name) => text.includes(`The ${name} page.`))).toEqual([names[winner]]);
  expect(answers[winner]?.project?.rev).toBe(2);
  expect(await happened(repository.path)).toEqual([
    "project.started",
    "project.stage-completed",
    "project.stage-opened",
  ]);
  expect(fs.existsSync(join(repository.path, "sdd/superseded"))).toBe(false);
  expect(tenon(["validate"], settings).code).toBe(0);
});

test("keeps all concurrent rounds of the gate", async () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  const settings = { cwd: repository.path, env: { TENON_HOME: home.path } };
  for (const words of [
    INIT,
    propose("A page."),
    ["project", "specify", ...flags(TIDES.specify)],
    ["project", "business-rules", ...flags(TIDES["business-rules"])],
  ])
    expect(tenon(words, settings).code).toBe(0);
  const all = [1, 2, 3, 4, 5].map((n) => `The answer number ${n}`);
  await Promise.all(all.map((answers) => tenonAsync(["project", "clarify", "--answers", answers], settings)));
  const record = JSON.parse(fs.readFileSync(join(repository.path, "sdd/sdd.json"), "utf8")) as {
    rounds: { answers: string }[];
    rev: number;
  };
  expect(record.rounds.map(({ answers }) => answers).toSorted()).toEqual(all);
  expect(record.rev).toBe(4 + all.length);
  const text = fs.readFileSync(join(repository.path, "sdd/clarifications.md"), "utf8");
  expect(text.match(/^> The answer number \d$/gm)?.toSorted()).toEqual(all.map((answer) => `> ${answer}`));
});
