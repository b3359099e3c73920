import { expect, test } from "vitest";
import { loadPendingBuffer } from "#roadmap/operations/knowledge/knowledge-folder.ts";
import { builderSays, build, cutsOf, inspectorSays, type Given, type Said } from "../roadmap/agents.ts";
import { drive } from "../roadmap/roadmap-driver.ts";
import { type RoadmapStand, roadmapStand } from "../roadmap/stand.ts";

const CUTS = cutsOf({ login: ["A"], mail: ["A"] });
const PATTERN = "[PATTERN] Input is parsed at the edge.";

/** Agents that say what they learned: each Builder the same, and one inspector of designs and one of the wave. */
function learned(stand: RoadmapStand, given: Given): Said | undefined {
  const cut = CUTS.get(given.id.split("/")[0] ?? "");
  if (given.role === "builder" && cut) {
    build(stand, cut, "A");
    return { report: `${builderSays(cut, "A")}\n- ${PATTERN}\n` };
  }
  if (given.id === "login/design/B1/rulebase")
    return { report: `${inspectorSays(given)}NOTES:\nRead it all.\n[INCIDENT] The design named no error.\n` };
  if (/^wave-1\/impl\/B\d+\/quality$/.test(given.id))
    return { report: `${inspectorSays(given)}NOTES:\n- [REFERENCE] Codes are in RFC 9110.\n` };
  return undefined;
}

test(
  "turns lessons of Builders and inspectors into knowledge when their wave is done",
  { timeout: 120_000 },
  async () => {
    using stand = await roadmapStand();
    await stand.waive();
    await stand.roadmap([{ name: "login" }, { name: "mail" }]);
    let most = 0;
    await drive(stand, CUTS, (given) => {
      if (given.kind === "commit") most = (stand.read("sdd/handover/buffer.md").match(/^- \[/gm) ?? []).length;
      return learned(stand, given);
    });
    expect(most).toBe(3);
    const names = (await stand.engine.store.read((tree) => tree.names("sdd/knowledge" as never))).toSorted();
    expect(names).toEqual([
      "incident-integration-design-named-no-error.md",
      "index.md",
      "pattern-data-input-parsed-edge.md",
      "reference-integration-codes-in-rfc-9110.md",
    ]);
    const { tags, candidates } = await stand.engine.store.read((tree) => loadPendingBuffer(tree, stand.engine));
    expect([tags, candidates.map(({ name, features }) => [name, features])]).toEqual([
      [],
      [["input-parsed-edge", ["login", "mail"]]],
    ]);
  },
);

test(
  "turns lessons of a feature outside the roadmap into knowledge when it is built",
  { timeout: 120_000 },
  async () => {
    using stand = await roadmapStand();
    await stand.waive();
    await stand.run("feature.design", { feature: "login", description: "Users log in" });
    await drive(stand, CUTS, (given) => learned(stand, given));
    await stand.run("feature.impl", { feature: "login" });
    await drive(stand, CUTS, (given) => learned(stand, given));
    expect(stand.has("sdd/knowledge/pattern-data-input-parsed-edge.md")).toBe(true);
    expect(stand.read("sdd/handover/buffer.md")).toContain("## Knowledge Buffer\n(empty)\n");
  },
);
