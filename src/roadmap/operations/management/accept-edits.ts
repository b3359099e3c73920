import { Fault } from "#kernel/model/fault.ts";
import { viewOpenQuestion } from "#planning/operations/approval/ask-approval.ts";
import type { QuestionAction } from "../../model/lead/lead-state.ts";
import type { RoadmapEngine } from "../engine.ts";
import { requireFeatureRecord } from "../feature/feature-access.ts";
import { describeEdits, findCodeEdits, readDesignFacts } from "../lead/held-files.ts";
import { hashFiles, listImplementationFiles, loadLead, readLead } from "../lead/lead-store.ts";
import { askUser, describeAnswer, planUserAnswer } from "../lead/user-question.ts";
import { commitAllLeadEvents } from "../lead/write-lead.ts";
import { createManageOutput, type ManageRoadmapInput, type ManageRoadmapOutput } from "./manage-answer.ts";

export async function acceptEdits(engine: RoadmapEngine, input: ManageRoadmapInput): Promise<ManageRoadmapOutput> {
  const { names: [name, second] = [], reason } = input;
  if (name === undefined || second !== undefined || reason === undefined)
    throw new Fault("input.missing", {
      what: "Nothing was accepted.",
      why: "Pass one feature as `names`, and `reason`: why its edit needs no review.",
      fix: { operation: "roadmap.manage", input: { action: "accept", names: [name ?? "user-login"], reason: "…" } },
    });
  const code = await findCodeEdits(engine, await readLead(engine));
  const { lead, edits, shown, design } = await engine.store.read((tree) => {
    const now = loadLead(tree, engine, code);
    const { feature_name } = requireFeatureRecord(now, name);
    const found = now.edits?.get(feature_name) ?? {};
    return {
      lead: now,
      edits: found,
      shown: describeEdits(tree, engine.checkout, feature_name, found),
      design: readDesignFacts(tree, engine.digest, feature_name),
    };
  });
  const record = requireFeatureRecord(lead, name);
  const isDesign = edits.design === true || edits.research === true || edits.steering !== undefined;
  if (!isDesign && !edits.code)
    return createManageOutput(lead, { action: "accept", said: `Nothing of ${name} changed since it was accepted.` });
  const lines = shown.map((each) => (each.lines === "" ? each.path : `${each.path}: ${each.lines}`));
  const question: QuestionAction = {
    id: `${name}/accept/${engine.digest(JSON.stringify([design.hash, lines])).slice(0, 8)}`,
    kind: "ask",
    question: "edit",
    subject: name,
    choices: ["accept", "review"],
    detail: `Accept this edit of ${name} without a new review? ${lines.join(" ")}`,
  };
  const asked = await askUser(engine, question, "accept");
  const answer = describeAnswer(asked, reason);
  if (!answer)
    return createManageOutput(lead, {
      action: "accept",
      passed: false,
      said: `${name} waits for the user's answer.`,
      notes: [asked.why ?? "", ...lines],
      user_question: viewOpenQuestion(asked),
    });
  if (answer.choice !== "accept")
    return createManageOutput(lead, { action: "accept", said: `${name} is reviewed again.`, notes: lines });
  const hash = edits.code ? await hashFiles(engine, listImplementationFiles([record])) : undefined;
  const { lead: after } = await commitAllLeadEvents(engine, (tree) => ({
    ...planUserAnswer(tree, asked),
    events: [
      {
        kind: "edit-accepted",
        feature: record.feature_name,
        reason,
        source: answer.source,
        ...(isDesign ? { design } : {}),
        ...(hash === undefined ? {} : { code: { hash } }),
      },
    ],
  }));
  return createManageOutput(after, {
    action: "accept",
    said: `The edit of ${name} is accepted.`,
    notes: lines,
    next: [{ operation: "roadmap.next" }],
  });
}
