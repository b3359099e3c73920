import fc from "fast-check";
import { expect, test } from "vitest";
import { checkChangeArtifact, CHANGE_ARTIFACT_HEADINGS, type ArtifactReferences } from "./change-artifact.ts";
import { CHANGE_STAGES, type ChangeStage } from "#kernel/model/stages/change-stages.ts";

const ALONE: ArtifactReferences = { adrs: [] };
const SPEC = "## Requirements\n- FR-001: Log in\n- NFR-001: Fast\n## Acceptance criteria\n- FR-001: it works";
const TASKS = "- [ ] TASK-001: A\n- [ ] TASK-002: B, depends on TASK-001";
const AROUND: ArtifactReferences = {
  requirements: "- FR-100: Old",
  spec: SPEC,
  tasks: TASKS,
  adrs: ["ADR-001", "ADR-0001"],
};

const SOUND: Readonly<Record<ChangeStage, string>> = {
  describe: "Searching for nothing crashes.",
  propose: "## Problem\na\n## Solution\nb\n## Out of scope\nc\n## Success criteria\nd",
  scope: "## In scope\na\n## Out of scope\nb",
  "context-check": "## Findings\nFR-001 and ADR-0001 touch it.\n## Impact\nnone",
  spec: SPEC,
  clarify: "## Questions\nWhat of FR-001?",
  design: "## Approach\nFor FR-001, by ADR-001.\n## Components\nb",
  tasks: `${TASKS}\n\nThey cover FR-001 and NFR-001.`,
  verify: "## Evidence\nTASK-001 and TASK-002: the tests of FR-001 pass.",
};

/** `3: problem` with a line, `problem` without. */
function problems(stage: ChangeStage, content: string, around: ArtifactReferences = AROUND): string[] {
  const { passed, problems: found } = checkChangeArtifact(stage, content, around);
  expect(passed).toBe(found.length === 0);
  return found.map(({ problem, line }) => (line === undefined ? problem : `${line}: ${problem}`));
}

test.each(CHANGE_STAGES)("accepts a sound %s with any line ends", (stage) => {
  const sound = SOUND[stage];
  const texts = [sound, sound.replaceAll("\n", "\r\n"), `# Title\n\n${sound}\n`, `<!-- FR-999 -->\n\n${sound}`];
  expect(texts.map((text) => problems(stage, text))).toEqual([[], [], [], []]);
});

const HEADINGS = CHANGE_STAGES.flatMap((stage) =>
  CHANGE_ARTIFACT_HEADINGS[stage].map((name) => [stage, name] as const),
);
const section = (name: string): RegExp => new RegExp(`## ${name}\n(.*(?:\n-.*)*)\n?`);

test.each(HEADINGS)("rejects %s without %s", (stage, name) => {
  const told = problems(stage, SOUND[stage].replace(`## ${name}\n`, ""));
  expect(told.filter((problem) => problem.includes(`"${name}"`))).toEqual([`The heading "${name}" is missing.`]);
});

test.each(CHANGE_STAGES)("lets a project rename the headings of %s, and not remove one", (stage) => {
  const usual = CHANGE_ARTIFACT_HEADINGS[stage];
  const renamed = usual.map((name) => `Own ${name}`);
  const own = SOUND[stage].replace(/^## /gm, "## Own ");
  const findFewer = (headings: readonly string[]): string[] =>
    problems(stage, own, { adrs: [], headings }).filter((problem) => problem.includes("headings"));
  expect(findFewer(renamed)).toEqual([]);
  const fewer = [renamed.slice(1), usual.map(() => renamed[0] ?? "")].filter(
    (each) => new Set(each).size < usual.length,
  );
  for (const headings of fewer)
    expect(findFewer(headings)).toEqual([
      `changes.headings.${stage} in sdd/config.yaml has ${new Set(headings).size} of ${usual.length} headings. Name as many as the guide.`,
    ]);
});

test.each(HEADINGS)("rejects %s with nothing under %s", (stage, name) => {
  const emptied = SOUND[stage].replace(section(name), `## ${name}\n\n`);
  const line = emptied.split("\n").indexOf(`## ${name}`) + 1;
  const told = problems(stage, emptied);
  expect(told.filter((problem) => problem.includes(`"${name}"`))).toEqual([
    `${line}: There is no text under "${name}".`,
  ]);
});

test.each([
  ["## in scope\na\n## OUT OF SCOPE\nb", []],
  ["# 1. In scope\na\n###### 2) Out of scope:\nb", []],
  ["## In scope (now)\na\n## Out of scope — later\nb", []],
  ["## In scope\n```\na\n```\n## Out of scope\n| a |", []],
  ["## In scope\n### Inner\na\n## Out of scope\n- b", []],
  ["## In scopes\na\n## Out of scope\nb", ['The heading "In scope" is missing.']],
  ["## Not in scope\na\n## Out of scope\nb", ['The heading "In scope" is missing.']],
  ["**In scope**\na\n## Out of scope\nb", ['The heading "In scope" is missing.']],
  ["## In scope\n### Inner\n## Out of scope\nb", ['1: There is no text under "In scope".']],
  ["## In scope\n<!-- a -->\n## Out of scope\nb", ['1: There is no text under "In scope".']],
  ["```\n## In scope\na\n```\n## Out of scope\nb", ['The heading "In scope" is missing.']],
  ["<!--\n## In scope\na\n-->\n## Out of scope\nb", ['The heading "In scope" is missing.']],
  ["## In scope\na\n```\n## Out of scope\nb", ['The heading "Out of scope" is missing.']],
  ["", ['The heading "In scope" is missing.', 'The heading "Out of scope" is missing.']],
])("reads the headings of %j", (content, told) => {
  expect(problems("scope", content)).toEqual(told);
});

test("replaces the built-in headings with the project's own", () => {
  const around = { ...ALONE, headings: ["Ámbito", "Riesgos"] };
  expect(problems("scope", "## ÁMBITO\na\n## Riesgosos\nb", around)).toEqual(['The heading "Riesgos" is missing.']);
});

const spec = (requirements: string, criteria = "It works."): string =>
  `## Requirements\n${requirements}\n## Acceptance criteria\n${criteria}`;
const NO_ID =
  'No requirement has an id: start each with FR-001, or NFR-001 for a quality. If there is none, write "None: <reason>".';

test.each([
  ["no id", spec("- Log in"), [NO_ID]],
  ["an id that is only mentioned", spec("- Log in (FR-001)"), [NO_ID, phantom("FR-001", 2)]],
  ["an id in code", spec("Text\n```\n- FR-001\n```"), [NO_ID]],
  ["an id in a comment", spec("Text <!--\n- FR-001\n-->"), [NO_ID]],
  ["an id under another heading only", spec("Text", "- FR-001: works"), [NO_ID, phantom("FR-001", 4)]],
  ["a repeated id", spec("- FR-001\n- FR-002\n- FR-001"), ["4: FR-001 is defined twice, first on line 2."]],
  [
    "an id that occurs three times",
    spec("- FR-001\n- FR-001\n- FR-001"),
    ["3: FR-001 is defined twice, first on line 2.", "4: FR-001 is defined twice, first on line 2."],
  ],
  ["a repeated id among the criteria", spec("- FR-001", "- FR-001: works"), []],
  ["a criterion of an unknown requirement", spec("- FR-001", "- FR-002: works"), [phantom("FR-002", 4)]],
  ["an id that the project already uses", spec("- FR-001, as FR-100"), []],
  ["ids below lower headings", spec("### Login\n- FR-001\n### Logout\n- FR-002"), []],
  ["no such heading", "- FR-001\n## Acceptance criteria\n- FR-001", ['The heading "Requirements" is missing.']],
])("checks a spec with %s", (_, content, told) => {
  expect(problems("spec", content, { requirements: "- FR-100: Old", adrs: [] })).toEqual(told);
});

test("accepts repeated ids among the criteria of a spec in the project's own language", () => {
  const content = "## Requisitos\n- FR-001: Entrar\n## Criterios\n- FR-001: funciona";
  expect(problems("spec", content, { ...ALONE, headings: ["Requisitos", "Criterios"] })).toEqual([]);
});

test.each([
  ["no id", "- Do it", ["No task has an id: start each with TASK-001, TASK-002 and so on."]],
  ["a repeated task", "- TASK-001\n- TASK-001", ["2: TASK-001 is defined twice, first on line 1."]],
  ["a wrong dependency", "- TASK-001 depends on TASK-009", ["1: TASK-001 depends on TASK-009, which is not a task."]],
  ["a mention of an unknown task", "- TASK-001: see TASK-009", [phantom("TASK-009", 1, "task")]],
  ["a task that waits for itself", "- TASK-001 depends on TASK-001", ["1: TASK-001 depends on itself."]],
  [
    "a circle",
    "- TASK-001 depends on TASK-002\n- TASK-002 depends on TASK-001",
    ["1: The tasks wait for each other: TASK-001 → TASK-002 → TASK-001."],
  ],
  ["a requirement that does not exist", "- TASK-001: FR-009", [phantom("FR-009", 1)]],
])("checks tasks with %s", (_, content, told) => {
  expect(problems("tasks", content)).toEqual(told);
});

test("does not accept an older text of the tasks as proof of the tasks", () => {
  expect(problems("tasks", "- TASK-003: as TASK-001", { ...AROUND, tasks: undefined })).toEqual([
    phantom("TASK-001", 1, "task"),
  ]);
});

test.each([
  ["all tasks", "TASK-001, TASK-002", []],
  ["all tasks but one", "TASK-001", ["TASK-002 is not mentioned: write how you verified it."]],
  ["two tasks with a slash", "TASK-001/TASK-002 pass", []],
  ["emphasis", "__TASK-001__ and *TASK-002* pass", []],
  ["one task only in code", "TASK-001\n```\nTASK-002\n```", ["TASK-002 is not mentioned: write how you verified it."]],
  ["a task that does not exist", "TASK-001, TASK-002, TASK-003", [phantom("TASK-003", 2, "task")]],
])("checks a verification that names %s", (_, text, told) => {
  expect(problems("verify", `## Evidence\n${text}`)).toEqual(told);
});

test("counts the tasks inside of a range as verified", () => {
  const tasks = "- TASK-001: Add\n- TASK-002: Test\n- TASK-003: Release\n";
  const content = "## Evidence\n\n- TASK-001 to TASK-003: `npm test`: exit 0\n";
  expect(checkChangeArtifact("verify", content, { tasks, adrs: [] })).toMatchObject({ passed: true });
});

test("accepts an unknown id only after it was reported", () => {
  const content =
    "## Findings\n- CF-1: FR-009 and TASK-009 were slips, ADR-009 as well; so is FR-010\n## Impact\nPatch.";
  expect(problems("context-check", content, { ...AROUND, told: ["FR-009", "TASK-009", "ADR-009"] })).toEqual([
    "2: FR-010 refers to nothing: no requirement has that id.",
  ]);
});

test.each(CHANGE_STAGES)("reports an unknown id in %s once, with its line", (stage) => {
  const content = `${SOUND[stage]}\n\nSee FR-777, ADR-777, and FR-777 again.`;
  const line = content.split("\n").length;
  expect(problems(stage, content)).toEqual([phantom("FR-777", line), phantom("ADR-777", line, "decision")]);
});

test("does not check a decision of a different change", () => {
  expect(problems("describe", "As fix-login/ADR-099 and sdd/adrs/ADR-0099-x.md say.", ALONE)).toEqual([]);
});

test("reports every problem at once: headings, rules, ids", () => {
  const content = "## Requirements\n- FR-001: by ADR-009\n- FR-001: TASK-009\n## Acceptance criteria\n";
  expect(checkChangeArtifact("spec", content, ALONE)).toEqual({
    passed: false,
    problems: [
      { problem: 'There is no text under "Acceptance criteria".', line: 4 },
      { problem: "FR-001 is defined twice, first on line 2.", line: 3 },
      { problem: "TASK-009 refers to nothing: no task has that id.", line: 3 },
      { problem: "ADR-009 refers to nothing: no decision has that id.", line: 2 },
    ],
  });
});

test("throws for no text, and names only lines of that text", () => {
  const marks = ["## Requirements", "## Evidence", "# ", "- FR-001", "NFR-002", "- TASK-001", "ADR-001", "```", "<!--"];
  const others = ["-->", "depends on TASK-002", "\n", "\r\n", "\r", " ", "|", "\u2028", "\u0000", "\ud800", "x"];
  const parts = fc.constantFrom(...marks, ...others);
  fc.assert(
    fc.property(fc.constantFrom(...CHANGE_STAGES), fc.array(parts, { maxLength: 60 }), (stage, pieces) => {
      const content = pieces.join("");
      const lines = content.split(/\r\n|\r|\n/).length;
      const { passed, problems: found } = checkChangeArtifact(stage, content, AROUND);
      const outside = found.filter(({ line = 1 }) => line < 1 || line > lines);
      expect({ passed, outside }).toEqual({ passed: found.length === 0, outside: [] });
    }),
    { numRuns: 1000 },
  );
});

test.each(["x", "#", "`", "<!--", "-->", "FR-001 ", "TASK-001 ", "depends on TASK-001 ", "- ", "_", "## Evidence "])(
  "reads a single line of a megabyte of %j in every stage",
  (unit) => {
    const content = unit.repeat(2 ** 20 / unit.length);
    const verdicts = CHANGE_STAGES.map((stage) => checkChangeArtifact(stage, content, { ...AROUND, tasks: content }));
    expect(verdicts.length).toBe(CHANGE_STAGES.length);
  },
);

test("reads ten thousand tasks, requirements and mentions", () => {
  const numbers = Array.from({ length: 10_000 }, (_, i) => 10_000 + i);
  const requirements = numbers.map((n) => `- FR-${n}: it works`).join("\n");
  const tasks = numbers.map((n) => `- TASK-${n}: FR-${n}${n > 10_000 ? `, depends on TASK-${n - 1}` : ""}`).join("\n");
  const around = { spec: spec(requirements), tasks, adrs: [] };
  const counts = [
    problems("spec", spec(requirements, requirements), ALONE),
    problems("tasks", tasks, around),
    problems("tasks", tasks, ALONE),
    problems("verify", `## Evidence\n${tasks}`, around),
    problems("verify", "## Evidence\nAll of them.", around),
  ].map((told) => told.length);
  expect(counts).toEqual([0, 0, 10_000, 0, 10_000]);
});

function phantom(id: string, line: number, noun = "requirement"): string {
  return `${line}: ${id} refers to nothing: no ${noun} has that id.`;
}

test("accepts an emphasized heading", () => {
  const text = "## **Findings**\n\nNone.\n\n## _Impact_\n\nPatch.";
  expect(checkChangeArtifact("context-check", text, { adrs: [] })).toEqual({ passed: true, problems: [] });
});

test("requires that a business rule exists in the project or in the change's own spec", () => {
  const around = { ...AROUND, rules: "## Constraints\n\n- **BR-001**: When a, then b." };
  const said = "It breaks BR-001 and BR-002.";
  expect(problems("describe", said, around)).toEqual(["1: BR-002 refers to nothing: no business rule has that id."]);
  const stated = `${SPEC}\n### ADDED\n`.replace("- FR-001: Log in", "- FR-001: Log in\n- BR-002: When c, then d.");
  expect(problems("spec", stated, around)).toEqual([]);
  expect(problems("verify", `${SOUND.verify}\n${said}`, { ...around, spec: stated })).toEqual([]);
});

test.each<[Parameters<typeof checkChangeArtifact>[0], string]>([
  ["describe", "There is no FR-001 for this."],
  ["describe", "FR-001 does not exist yet; a later change may add it."],
  ["tasks", "- TASK-001: Fix the pattern. No new FR-001 is needed."],
  ["clarify", "## Questions\n\n1. FR-001 is not defined: do we need it? Answer: no."],
  ["verify", "## Evidence\n\nThere is no ADR-003 to follow."],
])("in %s, %j reports that an id is missing", (stage, content) => {
  expect(checkChangeArtifact(stage, content, { adrs: [] }).problems).toEqual([]);
});

test("accepts a finding that an id does not exist", () => {
  const content = (finding: string): string => `## Findings\n\n- ${finding}\n\n## Impact\n\nPatch.`;
  const check = (finding: string) => checkChangeArtifact("context-check", content(finding), { adrs: [] }).problems;
  expect(check("There is no FR-001 to contradict.")).toEqual([]);
  expect(check("The ticket says FR-001, but FR-001 does not exist.")).toHaveLength(1);
  expect(check("FR-001 does not exist.")).toEqual([]);
  expect(check("FR-001 agrees with it.")).toEqual([
    { problem: "FR-001 refers to nothing: no requirement has that id.", line: 3 },
  ]);
});
