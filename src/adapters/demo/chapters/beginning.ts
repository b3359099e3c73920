import { next, playUntil, report, says } from "../agents.ts";
import type { Stage } from "../stage.ts";

/** A project, a workspace, and the user's word on what may run. */
export async function repository(stage: Stage): Promise<void> {
  await stage.chapter("repository");
  for (const [path, text] of await stage.texts("repository")) stage.write(path, text);
  await stage.git("init", "--quiet");
  await stage.tenon("init");
  await stage.commit("Begin");
  const shown = await stage.ask("trust");
  const refused = await stage.tenon("stack");
  const trusted = await stage.ask("trust", "--confirm", String(shown["hash"]));
  stage.promises.hold(
    "Nothing of a repository is run before its user has seen the commands and trusts them",
    [shown["state"], refused.code, trusted["state"]],
    ["new", 0, "recorded"],
  );
}

export async function roadmap(stage: Stage): Promise<void> {
  await stage.chapter("roadmap");
  await stage.tenon("steering", "create", "--vision", "Nobody queues for a ticket");
  await stage.tenon("roadmap", "create", "--input", "roadmap.json");
  await stage.tenon("roadmap", "run");
  const waves = ["fares", "tickets"].map(
    (name) => /wave: (\d+)/.exec(stage.read(`sdd/features/${name}/spec.yaml`))?.[1],
  );
  stage.promises.hold("What builds on what decides the waves", waves, ["1", "2"]);
}

/** A hole in a design is named by its line; five inspectors and an auditor look at the whole one. */
export async function design(stage: Stage): Promise<void> {
  await stage.chapter("design");
  const given = await playUntil(stage, /^fares\/architect\//);
  const whole = await stage.text("fares", "design");
  stage.write("sdd/features/fares/design.md", whole.replace("## Overview", "## Summary"));
  stage.write("sdd/features/fares/research.md", await stage.text("fares", "research"));
  const said = { report: await says(stage, "architect", { feature: "fares" }) };
  const { outcome, problems } = await report(stage, given, said);
  stage.note(`> ${given.id}: ${outcome}. ${problems[0]?.problem ?? ""}`);
  stage.promises.hold(
    "A design is read, and a hole in it is named, whatever its author says",
    [outcome, problems.some(({ problem }) => problem.includes('"## Overview" is missing'))],
    ["refused", true],
  );
  stage.write("sdd/features/fares/design.md", whole);
  const again = await report(stage, given, said);
  await playUntil(stage, /^fares\/tasks\//);
  const reviewed = stage.read("sdd/features/fares/reviews/B1.yaml");
  stage.promises.hold(
    "Before a line of code is written, five inspectors have seen the design, and the verdict follows from what they found",
    [
      again.outcome,
      /inspectors:[\s\S]*?\n(?=\w)/.exec(reviewed)?.[0].split("- ").length,
      /verdict: (\S+)/.exec(reviewed)?.[1],
    ],
    ["applied", 6, "GO"],
  );
  await next(stage);
}
