import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { refusal } from "../kit/fault.ts";
import { type Audited, breakGround, type Ground, REQUIREMENTS } from "./ground.ts";

function specified(): Ground {
  const ground = breakGround();
  ground.write(
    "sdd/requirements.md",
    `${REQUIREMENTS}\n## Won't have\n\n- **FR-003**: Fax.\n\n## Removed\n\n- FR-004: Telex.\n`,
  );
  ground.write("sdd/business-rules.md", "## Constraints\n\n- **BR-001**: When late, Then refuse.\n");
  ground.write(
    "sdd/design.md",
    "## Components\n\n- **Search index**: FR-001\n- **Upload gate**: FR-002\n- **Mailer**\n",
  );
  ground.write("sdd/tasks.md", "- TASK-001: Search, FR-001\n- TASK-002: Quick, NFR-001\n");
  ground.write("src/search-index.ts", "// FR-001: empty\n\n// FR-001\n");
  ground.write("test/upload.test.ts", "test('NFR-001 and FR-010', () => uploadGate());\n");
  ground.write("docs/notes.md", "FR-002 and FR-099 are only talked about, and the mailer too.\n");
  return ground;
}

test("compares specs and code, with files and lines", async () => {
  using ground = specified();
  expect(await ground.run("context.audit")).toEqual({
    files: 2,
    requirements: 4,
    problems: 5,
    findings: [
      { kind: "undefined", ref: "FR-010", places: ["test/upload.test.ts:1"] },
      { kind: "unmentioned", ref: "BR-001", text: "When late, Then refuse." },
      { kind: "unmentioned", ref: "FR-002", text: "The system shall refuse an upload over 10 MB." },
      { kind: "missing-component", ref: "Mailer", text: "No path or file contains it." },
      { kind: "untasked", ref: "FR-002", text: "No task of sdd/tasks.md or of a change covers it." },
      { kind: "mentioned", ref: "FR-001", places: ["src/search-index.ts:1", "src/search-index.ts:3"] },
      { kind: "mentioned", ref: "NFR-001", places: ["test/upload.test.ts:1"] },
      { kind: "skipped", ref: "1 text", text: "Documents are not code." },
    ],
    omitted: 0,
  });
});

test.each([
  ["src", 1, ["FR-001"]],
  ["./src/", 1, ["FR-001"]],
  ["test/upload.test.ts", 1, ["NFR-001"]],
  [".", 2, ["FR-001", "NFR-001"]],
])("searches only %s", async (scan_path, files, mentioned) => {
  using ground = specified();
  const audited = await ground.run<Audited>("context.audit", { scan_path });
  expect([audited.files, audited.findings.filter(({ kind }) => kind === "mentioned").map(({ ref }) => ref)]).toEqual([
    files,
    mentioned,
  ]);
});

test.each(["..", "src/../..", "/etc", "a/../b", "C:\\x", "\\x"])(
  "rejects %j as a path within the workspace",
  async (scan_path) => {
    using ground = specified();
    await expect(ground.run("context.audit", { scan_path })).rejects.toThrow("must be a path within the workspace");
  },
);

test("a missing path is not treated as code without tags", async () => {
  using ground = specified();
  expect(await refusal(ground.run("context.audit", { scan_path: "scr" }))).toEqual({
    code: "context.nothing-there",
    message: 'Nothing was compared. The repository has no file at or below "scr"; ignored files do not count.',
  });
});

test("counts ids of open and archived changes as defined", async () => {
  using ground = specified();
  ground.write("sdd/changes/open-one/spec.md", "## Requirements\n\n- FR-010: New.\n");
  expect((await ground.run<Audited>("context.audit")).findings[0]?.kind).toBe("unmentioned");
  fs.rmSync(join(ground.root, "sdd/changes"), { recursive: true });
  ground.write("sdd/history/old-one/spec.md", "## Requirements\n\n- FR-010: New.\n");
  expect((await ground.run<Audited>("context.audit")).findings[0]?.kind).toBe("unmentioned");
});

const untasked = async (ground: Ground): Promise<string[]> =>
  (await ground.run<Audited>("context.audit")).findings.filter(({ kind }) => kind === "untasked").map(({ ref }) => ref);

test("counts a task of a change for a requirement, unless the change was abandoned", async () => {
  using ground = specified();
  ground.write("sdd/history/old-one/tasks.md", "## Tasks\n\n- TASK-001: Refuse, FR-002\n");
  expect(await untasked(ground)).toEqual([]);
  fs.rmSync(join(ground.root, "sdd/history"), { recursive: true });
  await ground.start("Refuse uploads");
  expect(await untasked(ground)).toEqual(["FR-002"]);
  ground.write("sdd/changes/refuse-uploads/tasks.md", "## Tasks\n\n- TASK-001: Refuse, FR-002\n");
  expect(await untasked(ground)).toEqual([]);
  await ground.run("change.abandon", { change_id: "refuse-uploads", reason: "Nobody uploads." });
  expect(await untasked(ground)).toEqual(["FR-002"]);
});

test("counts an item as implemented while a file that it names as evidence exists", async () => {
  using ground = breakGround();
  ground.write(
    "sdd/requirements.md",
    [
      "- **FR-001**: It answers. (evidence: server.js:3, src/gone.ts:1; confidence: high)",
      "- **FR-002**: It greets. (evidence: src/gone.ts:2; confidence: high)",
    ].join("\n"),
  );
  ground.write("sdd/design.md", "## Components\n\n### Repository root\n\n- Carries: FR-001, FR-002.\n");
  ground.write("server.js", "listen();\n");
  const { findings } = await ground.run<Audited>("context.audit");
  expect(findings.map(({ kind, ref, places }) => [kind, ref, places])).toEqual([
    ["unmentioned", "FR-002", undefined],
    ["mentioned", "FR-001", ["server.js:3"]],
    ["skipped", "tasks", undefined],
  ]);
});

test("skips files that are not code, reports unreadable ones, and does not follow links", async () => {
  using ground = specified();
  ground.write("src/huge.ts", `// FR-010\n${"x".repeat(600_000)}`);
  ground.write("src/binary.bin", Buffer.from([0xff, 0x00, 0xfe]));
  ground.write(".gitignore", "ignored/\n");
  ground.write("ignored/x.ts", "FR-777");
  fs.symlinkSync("/etc/passwd", join(ground.root, "src/link.ts"));
  const { findings, files } = await ground.run<Audited>("context.audit");
  expect([files, findings.filter(({ kind }) => kind === "skipped")]).toEqual([
    3,
    [
      { kind: "skipped", ref: "1 text", text: "Documents are not code." },
      { kind: "skipped", ref: "1 file", text: "Not UTF-8 text." },
      { kind: "skipped", ref: "src/huge.ts", text: "It has 600010 bytes; at most 524288 are read." },
    ],
  ]);
  expect(findings.map(({ ref }) => ref)).not.toContain("FR-777");
});

test("reports missing specs", async () => {
  using ground = breakGround();
  ground.write("src/a.ts", "// FR-001\n");
  expect(await ground.shown("context.audit")).toBe(
    [
      "1 problem: 0 requirements against 1 file.",
      "",
      "- FR-001 is in the code, but no spec defines it: src/a.ts:1",
      "- Skipped ids: No document defines a requirement or a rule.",
      "- Skipped components: sdd/design.md is missing.",
      "- Skipped tasks: sdd/tasks.md is missing.",
    ].join("\n"),
  );
});

test("shows the first five of many locations, and all on demand", async () => {
  using ground = specified();
  ground.write("src/many.ts", "// FR-002\n".repeat(12));
  const places = async (detail_level: string) =>
    (await ground.run<Audited>("context.audit", { detail_level })).findings
      .filter(({ ref, kind }) => ref === "FR-002" && kind === "mentioned")
      .map((each) => [each.places?.length, each.text]);
  expect(await places("standard")).toEqual([[5, "and 7 more places"]]);
  expect(await places("full")).toEqual([[12, undefined]]);
  expect(await places("summary")).toEqual([]);
});
