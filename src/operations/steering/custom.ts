import { Fault } from "#domain/fault.ts";
import { parseHeadings, parseProseLines } from "#domain/document/prose.ts";
import {
  isCoreSteeringFile,
  parseSteeringName,
  resolveSteeringPath,
  type SteeringName,
  formatSteeringTitle,
  findSteeringTopic,
} from "#domain/steering/name.ts";
import { renderTemplate } from "#domain/template.ts";
import type { Engine } from "../engine.ts";
import { type SteeringResult, type ManageSteeringInput, createSteeringPlan } from "./done.ts";
import { SteeringDraft } from "./draft.ts";
import { rejectBreakingSteeringText } from "./texts.ts";
import { commitSteering } from "./writing.ts";

export async function addSteeringTopic(engine: Engine, input: ManageSteeringInput): Promise<SteeringResult> {
  if (input.name === undefined) throw createMissingTopicFault();
  const name = parseSteeringName(input.name);
  if (isCoreSteeringFile(name)) throw createCoreTopicFault(name);
  const text = input.text === undefined ? await renderTopicTemplate(engine, name) : formatTopicFile(name, input.text);
  return commitSteering(engine, (tree) => {
    const path = resolveSteeringPath(name);
    if (tree.has(path)) throw createTopicExistsFault(name);
    const draft = new SteeringDraft(tree, engine.clock.now());
    draft.write(path, text);
    return createSteeringPlan(draft, "custom", {
      summary: `Steering on ${formatSteeringTitle(name).toLowerCase()}`,
      reason: input.reason,
    });
  });
}

async function renderTopicTemplate({ assets }: Pick<Engine, "assets">, name: SteeringName): Promise<string> {
  const asset = await assets.text(`templates/steering/${findSteeringTopic(name) ?? "topic"}`);
  return renderTemplate(asset, { title: formatSteeringTitle(name) });
}

function formatTopicFile(name: SteeringName, said: string): string {
  const text = `${said.replace(/\r\n?/g, "\n").trim()}\n`;
  const isTitled = parseHeadings(parseProseLines(text))[0]?.level === 1;
  rejectBreakingSteeringText("text", isTitled ? text.slice(text.indexOf("\n")) : text, 1);
  return isTitled ? text : `# ${formatSteeringTitle(name)}\n\n${text}`;
}

const createMissingTopicFault = (): Fault =>
  new Fault("input.missing", {
    what: "Nothing was written.",
    why: "No topic was named.",
    fix: { operation: "steering.manage", input: { action: "custom", name: "api-standards" } },
  });

const createCoreTopicFault = (name: SteeringName): Fault =>
  new Fault("steering.exists", {
    what: `${resolveSteeringPath(name)} is no topic of its own.`,
    why: "It is one of the core files, which are made together.",
    fix: { operation: "steering.manage", input: { action: "create" } },
  });

const createTopicExistsFault = (name: SteeringName): Fault =>
  new Fault("steering.exists", {
    what: "Nothing was written.",
    why: `${resolveSteeringPath(name)} is there already, and nothing is overwritten.`,
    fix: { operation: "steering.manage", input: { action: "update", name, section: "…", text: "…" } },
  });
