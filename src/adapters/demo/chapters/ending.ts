import type { DemoStage } from "../stage.ts";

const BUG_RECEIPTS = "sdd/receipts/BUG-001.jsonl";

export async function playProofChapter(stage: DemoStage): Promise<void> {
  await stage.chapter("proof");
  const messages = (await stage.git("log", "--format=%s")).split("\n");
  stage.promises.hold(
    "Work ends in commits that say what they are about",
    messages.map((message) => message.split(":")[0]),
    ["Wave 2", "BUG-001", "Wave 1", "Begin"],
  );
  const whole = await stage.tenon("verify");
  const kept = stage.read(BUG_RECEIPTS);
  stage.write(BUG_RECEIPTS, kept.replace('"passed":true', '"passed":false'));
  const edited = await stage.tenon("verify");
  stage.write(BUG_RECEIPTS, kept);
  stage.promises.hold("Every receipt is verified, and an edited one is found", [whole.code, edited.code], [0, 3]);
  const ci = await stage.tenon("ci");
  stage.promises.hold("Specs, receipts, code and tests agree, as a build would check", ci.code, 0);
}

export async function playHandoverChapter(stage: DemoStage): Promise<void> {
  await stage.chapter("handover");
  const before = await stage.tool("sdd_handover", {});
  const { data: decided } = await stage.tool("sdd_decide", {
    summary: "Tickets are plain text",
    reason: "Every printer takes it",
  });
  stage.note(`> sdd_decide: ${String(decided["decision"])}, Tickets are plain text`);
  const said = { accomplished: "Fares and tickets are built", next: "Ask the crew which printer they have" };
  const { data: written } = await stage.tool("sdd_handover", said);
  stage.note(`> sdd_handover: ${said.accomplished}. ${said.next}.`);
  await stage.commit("Hand over");
  await stage.kill();
  const { text } = await stage.tool("sdd_handover", { resume: true });
  stage.note("> sdd_handover, the next morning, by somebody who knows nothing");
  stage.promises.hold(
    "What was done is drafted along the way, and a person or an agent adds what no record knows",
    [before.data["state"], written["state"]],
    ["draft", "polished"],
  );
  stage.promises.hold(
    "The next session is told what was done, what was decided and where to begin",
    [said.accomplished, said.next, "Tickets are plain text"].map((line) => text.includes(line)),
    [true, true, true],
  );
}
