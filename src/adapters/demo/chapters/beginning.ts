import type { ScriptedAgents } from "../agents.ts";
import type { DemoStage } from "../stage.ts";

export async function playRepositoryChapter(stage: DemoStage): Promise<void> {
  await stage.chapter("repository");
  await stage.git("init", "--quiet");
  await stage.tenon("init");
  for (const [path, text] of await stage.texts("repository")) stage.write(path, text);
  await stage.commit("Begin");
  const shown = await stage.ask("trust");
  const trusted = await stage.ask("trust", "--confirm", String(shown["hash"]));
  stage.promises.hold(
    "Nothing of a repository is run before its user has seen the exact commands and trusts them",
    [shown["state"], JSON.stringify(shown["commands"]).includes("node --test"), trusted["state"]],
    ["untrusted", true, "recorded"],
  );
}

export async function playRoadmapChapter(stage: DemoStage): Promise<void> {
  await stage.chapter("roadmap");
  await stage.tenon("steering", "create", "--vision", "Nobody queues for a ticket");
  await stage.tenon("roadmap", "create", "--input", "roadmap.json");
  await stage.tenon("roadmap", "run");
  const waves = ["fares", "tickets"].map((name) => stage.value(`sdd/features/${name}/spec.yaml`, "roadmap", "wave"));
  stage.promises.hold("What builds on what decides the waves", waves, [1, 2]);
}

/** Tenon names a gap in a design. Five inspectors and an auditor review the complete one. */
export async function playDesignChapter(stage: DemoStage, agents: ScriptedAgents): Promise<void> {
  await stage.chapter("design");
  const given = await agents.playUntil(/^fares\/architect\//);
  const whole = await stage.text("fares", "design");
  stage.write("sdd/features/fares/design.md", whole.replace("## Overview", "## Summary"));
  stage.write("sdd/features/fares/research.md", await stage.text("fares", "research"));
  const said = { report: await agents.says("architect", { feature: "fares" }) };
  const { outcome, problems } = await agents.tell(given, said);
  stage.promises.hold(
    "A design is read, and a hole in it is named, whatever its author says",
    [outcome, problems.some(({ problem }) => problem.includes('"## Overview" is missing'))],
    ["refused", true],
  );
  stage.write("sdd/features/fares/design.md", whole);
  const again = await agents.tell(given, said);
  await agents.playUntil(/^fares\/tasks\//);
  const review = "sdd/features/fares/reviews/B1.yaml";
  const inspectors = stage.value(review, "inspectors");
  stage.promises.hold(
    "Before a line of code is written, five inspectors have looked at the design, and a verdict follows from what they found",
    [again.outcome, Array.isArray(inspectors) && inspectors.length, stage.value(review, "verdict")],
    ["applied", 5, "GO"],
  );
}
