import { expect, test } from "vitest";
import { git } from "../kit/folder.ts";
import { type Cuts, cutsOf } from "./agents.ts";
import { codeOf } from "./feature-documents.ts";
import {
  answers,
  audits,
  brokenAtGate,
  critical,
  isBlocked,
  liesThrice,
  liesTwice,
  play,
  type Script,
  vanish,
} from "./simulation.ts";
import { roadmapStand, type RoadmapStand } from "./stand.ts";

const isFull = process.env["TENON_FULL"] === "1";

/** Features in waves, each of which builds on the one before it in its column: `f11` on `f01`. */
function planned(waves: number, columns: number): { name: string; dependencies: string[] }[] {
  return Array.from({ length: waves * columns }, (_, i) => {
    const [wave, column] = [Math.floor(i / columns), (i % columns) + 1];
    return { name: `f${wave}${column}`, dependencies: wave === 0 ? [] : [`f${wave - 1}${column}`] };
  });
}

async function shop(waves: number, columns: number, run = {}): Promise<{ stand: RoadmapStand; cuts: Cuts }> {
  const features = planned(waves, columns);
  const stand = await roadmapStand();
  await stand.roadmap(features, run);
  return { stand, cuts: cutsOf(Object.fromEntries(features.map(({ name }) => [name, ["A"]]))) };
}

const SHORT: Script = {
  // An Architect and an inspector vanish; of the inspector the review goes on without it.
  "f01/architect/1": vanish,
  "f01/design/B1/rulebase": vanish,
  // A design is sent back, and a line of steering is written down; another waits for the user.
  "f02/design/B1/auditor": audits("NO-GO", critical("Spec 1")),
  "f02/design/B2/auditor": audits("GO", {
    steering: [
      { level: "CODIFY", file: "tech.md", text: "Modules are small" },
      { level: "PROPOSE", file: "tech.md", text: "Every module has an owner" },
    ],
  }),
  "f01/build-A/1": liesTwice,
  "f02/build-A/1": liesThrice,
  "f02/build-A/2": isBlocked,
  "f01/gate/1": brokenAtGate,
  "f01/impl/B2/auditor": audits("NO-GO", (cut) => critical(codeOf(cut, "A"))),
  "wave-1/impl/B1/auditor": audits("NO-GO", critical("src/f02-A.mjs")),
  "wave-1/dead-code/B3/auditor": audits("NO-GO", critical("src/nobodys.mjs")),
  "wave-1/wave-failed/1": answers("proceed"),
  "f11/impl/B2/auditor": audits("SPEC-UPDATE-NEEDED", {
    spec_feedback: [{ part: "specifications", spec: "Spec 1", description: "It says nothing of errors" }],
  }),
  "f12/architect/1": vanish,
  "f12/architect/2": vanish,
  "f12/architect/3": vanish,
  "f12/escalation/1": answers("fix"),
};

/** What is true of a roadmap that came to its end. */
function ended(stand: RoadmapStand, waves: number): Readonly<Record<string, unknown>> {
  const subjects = git(stand.root, "log", "--format=%s").trim().split("\n");
  const decisions = [...stand.read("sdd/handover/decisions.md").matchAll(/^\[.*?\] D\d+: (\w+) \| (.*)$/gm)];
  return {
    commits: subjects.filter((subject) => subject.startsWith("Wave ")).length,
    waves: Array.from({ length: waves }, (_, i) => /^step: "(.*)"$/m.exec(stand.read(`sdd/waves/${i + 1}.yaml`))?.[1]),
    decisions: decisions.map(([, type, summary]) => `${type}: ${summary}`),
  };
}

test.runIf(!isFull)("completes a small roadmap whatever its agents do", { timeout: 300_000 }, async () => {
  const { stand, cuts } = await shop(2, 2, { gate: true });
  using _ = stand;
  const { log, idle, unplayed } = await play(stand, cuts, SHORT);
  expect([idle, unplayed]).toEqual(["Everything is done: 4 features are done.", []]);
  const asked = log.filter((line) => /passed/.test(line)).map((line) => line.replace(/\/B\d.*/, ""));
  expect([...new Set(asked)].toSorted()).toEqual([
    ...["f01", "f02", "f11", "f12"].map((name) => `${name}/review-passed`),
    "wave-1/wave-passed: applied",
  ]);
  const strange = log.filter((line) => !line.endsWith(": applied"));
  expect(strange.map((line) => line.replace(/^(\S+)\/design\/B1\/rulebase/, "$1/…/rulebase")).toSorted()).toEqual(
    [
      "f01/architect/1: lost",
      ...["f01/…/rulebase", "f01/…/rulebase", "f01/…/rulebase"].map((id) => `${id}: lost`),
      "f01/build-A/1: refused, refused, applied",
      "f02/build-A/1: refused, refused, refused",
      ...[1, 2, 3].map((run) => `f12/architect/${run}: lost`),
    ].toSorted(),
  );
  expect(ended(stand, 2)).toEqual({
    commits: 2,
    waves: ["done", "done"],
    decisions: [
      "STEERING_UPDATE: tech.md: Modules are small",
      "STEERING_UPDATE: Approved for tech.md: Every module has an owner",
      "ESCALATION_RESOLVED: f12: fix",
      "ESCALATION_RESOLVED: Wave 1: proceed after dead-code",
    ],
  });
  expect(stand.read("sdd/steering/tech.md")).toMatch(/Modules are small[\s\S]*Every module has an owner/);
  expect(stand.record("f11")).toEqual(
    expect.objectContaining({ version: "1.1.0", version_refs: { design: "1.1.0", implementation: "1.1.0" } }),
  );
});

const again = (id: (n: number) => string, times: number, trick: Script[string]): Script =>
  Object.fromEntries(Array.from({ length: times }, (_, i) => [id(i + 1), trick]));

/** Every way on, and every end of a gate or an escalation. */
const LONG: Script = {
  ...SHORT,
  "run/cap/1": answers("raise", "100 million tokens"),
  // Four designs in a row are sent back: it is let go, and whoever builds on it does without.
  ...again((n) => `f03/design/B${n}/auditor`, 4, audits("NO-GO", critical("Spec 1"))),
  "f03/escalation/1": answers("skip"),
  // Code is sent back four times, and then mended after all.
  ...again(
    (n) => `f04/impl/B${n + 1}/auditor`,
    4,
    audits("NO-GO", (cut) => critical(codeOf(cut, "A"))),
  ),
  "f04/escalation/1": answers("fix"),
  "f13/design/B1/auditor": audits("GO", {
    steering: [{ level: "PROPOSE", file: "tech.md", text: "No more than this" }],
  }),
  "f13/steering/B1-1": answers("reject"),
  "f14/design/B1/auditor": audits("GO", { steering: [{ level: "PROPOSE", file: "tech.md", text: "Never so" }] }),
  "f14/steering/B1-1": answers("except"),
  // The cross-check of a wave says no three times, and the user lets it pass.
  ...again((n) => `wave-2/impl/B${n + 3}/auditor`, 3, audits("NO-GO", critical("src/f12-A.mjs"))),
  "wave-2/wave-failed/1": answers("proceed"),
  // An auditor vanishes for good; the user stops, and goes on later.
  "f21/design/B1/auditor": vanish,
  "f21/escalation/1": answers("abort"),
  "f21/escalation/2": answers("fix"),
  // A Builder is blocked, and blocked again.
  "f22/build-A/1": isBlocked,
  "f22/build-A/2": isBlocked,
  "f22/escalation/1": answers("fix"),
  // Of what nobody owns nobody can mend anything: the last wave is given up.
  "wave-5/impl/B12/auditor": audits("NO-GO", critical("src/nobodys.mjs")),
  "wave-5/wave-failed/1": answers("abort"),
};

test.runIf(isFull)(
  "completes a roadmap of twenty features in five waves whatever its agents do",
  { timeout: 3_600_000 },
  async () => {
    const { stand, cuts } = await shop(5, 4, { cap_tokens: 3_000_000 });
    using _ = stand;
    const first = await play(stand, cuts, LONG);
    expect(first.idle).toContain("The user aborted after f21 failed.");
    await stand.run("roadmap.manage", { action: "run" });
    const second = await play(stand, cuts, LONG);
    expect(second.idle).toContain("The user aborted wave 5.");
    expect(first.unplayed.filter((id) => second.unplayed.includes(id))).toEqual([]);
    const strange = [...first.log, ...second.log].flatMap((line) => /: (?!applied$)(.*)$/.exec(line)?.[1] ?? []);
    // Who is overtaken is told that it is over, or that what is reviewed has changed; when that happens is up to the order.
    const overtaken = ["repeated", "refused"];
    expect([...new Set(strange)].filter((outcome) => !overtaken.includes(outcome)).toSorted()).toEqual(
      ["lost", "refused, refused, applied", "refused, refused, refused"].toSorted(),
    );
    expect(ended(stand, 5)).toEqual({
      commits: 4,
      waves: ["done", "done", "done", "done", "aborted"],
      decisions: expect.arrayContaining([
        "STEERING_UPDATE: tech.md: Modules are small",
        "STEERING_UPDATE: Approved for tech.md: Every module has an owner",
        "USER_DECISION: The run may cost 100000000 tokens",
        "STEERING_EXCEPTION: Exception from tech.md: Never so",
        "USER_DECISION: Rejected for tech.md: No more than this",
        "ESCALATION_RESOLVED: f03: skip",
        "ESCALATION_RESOLVED: f04: fix",
        "ESCALATION_RESOLVED: f12: fix",
        "ESCALATION_RESOLVED: f21: abort",
        "ESCALATION_RESOLVED: f21: fix",
        "ESCALATION_RESOLVED: f22: fix",
        "ESCALATION_RESOLVED: Wave 1: proceed after dead-code",
        "ESCALATION_RESOLVED: Wave 2: proceed after cross-check",
        "ESCALATION_RESOLVED: Wave 5: abort after cross-check",
      ]),
    });
    const phases = planned(5, 4).map(({ name }) => stand.record(name)["phase"]);
    expect(phases.filter((phase) => phase === "implementation-complete")).toHaveLength(19);
  },
);
