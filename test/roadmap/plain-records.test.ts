import fs from "node:fs";
import { expect, test } from "vitest";
import { auditorSays, builderSays, cutsOf, type Given } from "./agents.ts";
import { before, drive } from "./roadmap-driver.ts";
import { roadmapStand } from "./stand.ts";

const CUTS = cutsOf({ alpha: ["A"] });

test("the server's instructions send a roadmap's agents to its actions, and not to a change", () => {
  expect(fs.readFileSync("assets/instructions.md", "utf8")).toContain(
    "A roadmap in progress: sdd_next returns your actions. Start no change for them.",
  );
});

test("stop names each review that it ends, also one that the user began by hand", async () => {
  using stand = await roadmapStand();
  await stand.roadmap([{ name: "alpha" }]);
  await drive(stand, CUTS, before("alpha/build"));
  await stand.run("review.begin", { kind: "dead-code" });
  const { notes } = (await stand.run("roadmap.manage", { action: "stop" })) as { notes: readonly string[] };
  expect(notes).toContainEqual(
    expect.stringMatching(/^Ended without a verdict: B\d, the dead-code review of all, with 0 of \d views reported\.$/),
  );
});

test("a review that says no is recorded as returned, because nothing is fixed yet", async () => {
  using stand = await roadmapStand();
  await stand.roadmap([{ name: "alpha" }]);
  const row = "C|testable-criterion|Spec 1.AC1|It names no answer";
  await drive(stand, CUTS, (given: Given) => {
    if (given.id === "alpha/design/B1/auditor") return { report: auditorSays("NO-GO", given, [row]) };
    return given.id === "alpha/architect/2" ? { stop: true } : undefined;
  });
  expect(stand.read("sdd/features/alpha/reviews/B1.yaml")).toContain("NO-GO-RETURNED");
});

test("a collected lesson has its category in the metadata, and no blanks", async () => {
  using stand = await roadmapStand();
  await stand.roadmap([{ name: "alpha" }]);
  await drive(stand, CUTS, (given) => {
    if (!given.id.startsWith("alpha/build")) return undefined;
    const lesson = "[PATTERN] api: Text of people is trimmed at the edge";
    const cut = CUTS.get("alpha") ?? { feature: "alpha", groups: ["A"] };
    stand.write("src/alpha-A.mjs", 'export const answer = () => "alpha A";\n');
    stand.write(
      "tests/alpha-A.mjs",
      'import { answer } from "../src/alpha-A.mjs";\n\n// AC: alpha.S1.AC1\ntest("alpha", () => same(answer(), "alpha A"));\n',
    );
    return { report: `${builderSays(cut, "A")}${lesson}\n` };
  });
  const [file = ""] = fs.readdirSync(`${stand.root}/sdd/knowledge`).filter((name) => name !== "index.md");
  expect(file).toMatch(/^pattern-api-/);
  const text = stand.read(`sdd/knowledge/${file}`);
  expect(text).toContain("# Text of people is trimmed at the edge\n");
  expect(text).toMatch(/\| Category +\| api +\|/);
  expect(text).not.toMatch(/<[a-z]/);
});
