import type { Stage } from "../stage.ts";

const RECEIPTS = "sdd/receipts/BUG-001.jsonl";

/** What every gate left behind, and that an edit of it is seen. */
export async function proof(stage: Stage): Promise<void> {
  await stage.chapter("proof");
  const messages = (await stage.git("log", "--format=%s")).split("\n");
  stage.promises.hold(
    "Each wave ends with a commit, and its message says which",
    messages.filter((message) => /^(?:Wave \d+|fares|tickets): /.test(message)).map((message) => message.split(":")[0]),
    ["Wave 2", "Wave 1"],
  );
  const whole = await stage.ask("verify");
  const kept = stage.read(RECEIPTS);
  stage.write(RECEIPTS, kept.replace('"passed":true', '"passed":false'));
  const edited = await stage.tenon("verify");
  stage.write(RECEIPTS, kept);
  stage.promises.hold(
    "Every receipt is verified, and an edited one is found",
    [whole["passed"], edited.code],
    [true, 3],
  );
  const ci = await stage.tenon("ci");
  stage.promises.hold("Specs, receipts, code and tests agree, as a build would check", ci.code, 0);
}

/** What is left for whoever comes next. */
export async function handover(stage: Stage): Promise<void> {
  await stage.chapter("handover");
  const status = await stage.ask("status");
  const roadmap = status["roadmap"] as { readonly features?: readonly { readonly name: string }[] } | undefined;
  stage.say(JSON.stringify(roadmap).slice(0, 300));
}
