import { expect, test } from "vitest";
import { PROJECT_DOCUMENT_STAGES } from "#kernel/model/stages/project-stages.ts";
import { refusal } from "../kit/fault.ts";
import { TIDES } from "../kit/project.ts";
import { stand, standOnDisk, type Stand } from "./stand.ts";

const RESEAL = { reseal: "sdd/sdd.json" };
type Edited = Record<string, unknown> & { stages: Record<string, unknown>[] };

/** Changes the record as a person with an editor would: its seal is another's. */
function edit(project: Stand, change: (record: Edited) => void): void {
  const record = project.record() as unknown as Edited;
  change(record);
  project.write("sdd/sdd.json", `${JSON.stringify(record, null, 2)}\n`);
}

test("every command reports a record edited by hand, and reseal accepts a valid one", async () => {
  using project = await stand();
  await project.upTo("clarify");
  edit(project, (record) => (record["description"] = "By hand"));
  expect((await refusal(project.run("project.clarify", TIDES.clarify))).code).toBe("record.corrupt");
  expect((await refusal(project.run("project.context"))).code).toBe("record.corrupt");
  const status = await project.run("workspace.status");
  expect(status).toMatchObject({ damaged: [{ path: "sdd/sdd.json" }] });
  expect(status).not.toHaveProperty("project");
  expect(await project.run("workspace.doctor")).toMatchObject({ healthy: false });
  expect(await project.run("workspace.validate")).toMatchObject({ problems: [{ path: "sdd/sdd.json" }] });
  expect(await project.run("workspace.doctor", RESEAL)).toMatchObject({ healthy: true, resealed: "sdd/sdd.json" });
  expect(project.record()).toMatchObject({ description: "By hand", current_stage: "clarify" });
  expect((await project.run("project.clarify", TIDES.clarify)).passed).toBe(true);
});

const done = (record: Edited, upTo: string): void => {
  let isBefore = true;
  for (const stage of record.stages) {
    stage["status"] =
      stage["name"] === upTo ? "in_progress" : isBefore && stage["name"] !== upTo ? "completed" : "pending";
    if (stage["name"] === upTo) isBefore = false;
  }
  record["current_stage"] = upTo;
};

test.each<[string, (record: Edited, project: Stand) => void, RegExp]>([
  [
    "a stage without its document",
    (record) => done(record, "design"),
    /clarify is completed, but no round passed.*its document is missing/,
  ],
  [
    "a gate that was never passed",
    (record, project) => {
      project.write("sdd/clarifications.md", "# Clarifications\n\nAll clear.\n");
      done(record, "design");
    },
    /^Stage clarify is completed, but no round passed the Clarity Gate\.$/,
  ],
  ["a missing stage", (record) => void record.stages.splice(5, 1), /^A project has the stages init, propose/],
  ["an id without a document", (record) => (record["ids"] = ["FR-001", "FR-077"]), /^FR-077 is missing/],
])("does not accept a record with %s", async (_, change, why) => {
  using project = await stand();
  await project.upTo("clarify");
  edit(project, (record) => change(record, project));
  const before = project.fingerprint();
  const { code, message } = await refusal(project.run("workspace.doctor", RESEAL));
  expect(code).toBe("record.unsound");
  expect(message.replace(/^.*?cannot be accepted as it is now\. /, "")).toMatch(why);
  expect(project.fingerprint()).toBe(before);
});

test("does not accept a project that was completed by hand", async () => {
  using project = await stand();
  await project.upTo("validate");
  project.write("sdd/validation.md", "# Validation\n\nPASS\n");
  edit(project, (record) => {
    for (const stage of record.stages) stage["status"] = "completed";
    record["status"] = "completed";
  });
  const { message } = await refusal(project.run("workspace.doctor", RESEAL));
  expect(message).toContain("Stage validate is completed, but it has no verdict.");
});

test.each([
  ["torn", (text: string) => text.slice(0, text.length / 2)],
  ["empty", () => ""],
  ["of a different kind", () => "[]\n"],
  ["a newer one", (text: string) => text.replace('"schema": 1', '"schema": 99')],
])("reports a record that is %s and builds nothing on it", async (_, spoil) => {
  using project = await stand();
  await project.upTo("design");
  project.write("sdd/sdd.json", spoil(project.read("sdd/sdd.json")));
  const before = project.fingerprint();
  for (const [id, input] of [
    ["project.design", TIDES.design],
    ["project.init", TIDES.init],
    ["project.confirm", {}],
    ["workspace.doctor", RESEAL],
  ] as const)
    expect((await refusal(project.run(id, input))).code).toMatch(/^record\./);
  expect(await project.run("workspace.status")).toMatchObject({ damaged: [{ path: "sdd/sdd.json" }] });
  expect(await project.run("workspace.doctor")).toMatchObject({ healthy: false });
  expect(project.fingerprint()).toBe(before);
});

test("status, validate and doctor accept a sound project", async () => {
  using project = await stand();
  await project.upTo("design");
  const found = { name: "Tide tables", stage: "design", status: "active", mode: "guided" };
  expect(await project.run("workspace.status")).toMatchObject({ project: found, damaged: [] });
  expect(await project.run("workspace.validate")).toMatchObject({ problems: [] });
  expect(await project.run("workspace.doctor")).toMatchObject({ healthy: true });
});

test("validate reports problems of an edited document", async () => {
  using project = await stand();
  await project.upTo("completed");
  project.remove("sdd/tasks.md");
  project.write("sdd/requirements.md", project.read("sdd/requirements.md").replace("NFR-001", "NFR-002"));
  const { problems = [] } = await project.run("workspace.validate");
  expect(problems.map((each) => ({ ...each, line: 0 }))).toEqual(
    [
      ["sdd/requirements.md", 'NFR-001 is missing: keep every id, under "Removed" if necessary.'],
      ["sdd/design.md", "NFR-001 refers to nothing: no requirement has that id."],
      ["sdd/tasks.md", "The stage is completed, but its document is missing."],
    ].map(([path, problem]) => ({ path, problem, line: 0 })),
  );
});

test("reports only the conflict marks of a document", async () => {
  using project = await stand();
  await project.upTo("completed");
  const text = project.read("sdd/requirements.md");
  const [line = ""] = /^- \*\*FR-001\*\*.*$/m.exec(text) ?? [];
  const sides = `<<<<<<< HEAD\n${line}\n=======\n${line} Or so.\n>>>>>>> other`;
  project.write("sdd/requirements.md", text.replace(line, sides));
  const { problems } = await project.run("workspace.validate");
  expect(problems).toEqual([
    {
      path: "sdd/requirements.md",
      line: text.split("\n").indexOf(line) + 1,
      problem: "A merge left conflict marks here: keep the right text, remove the marks, then check again.",
    },
  ]);
});

test("memory keeps every completed stage under its topic, in its current text", async () => {
  using project = await standOnDisk();
  await project.upTo("completed");
  await project.run("project.reopen", { stage: "propose", reason: "Another look" });
  await project.run("project.propose", { ...TIDES.propose, out_of_scope: "Weather alone." });
  const memory = await project.engine.memory();
  const ref = await project.engine.project();
  if (!ref) throw new Error("no project");
  const name = await memory.projectName(ref);
  const kept = await Promise.all(
    PROJECT_DOCUMENT_STAGES.map((stage) =>
      memory.topic({ project: ref, scope: "project", namespace: "", topic_key: `sdd/${name}/${stage}` }),
    ),
  );
  expect(kept.map((each) => [each?.type, each?.title])).toEqual(
    PROJECT_DOCUMENT_STAGES.map((stage) => ["project", `${stage}: Tide tables`]),
  );
  expect(kept[0]?.content).toContain("Weather alone.");
});
