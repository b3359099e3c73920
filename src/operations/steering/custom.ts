import { Fault } from "#domain/fault.ts";
import { parseHeadings, parseProseLines } from "#domain/document/prose.ts";
import { isCore, parseSteeringName, pathOf, type SteeringName, titleOf, topicOf } from "#domain/steering/name.ts";
import { renderTemplate } from "#domain/template.ts";
import type { Engine } from "../engine.ts";
import { type Done, type Input, planned } from "./done.ts";
import { SteeringDraft } from "./draft.ts";
import { refuseBreaking } from "./texts.ts";
import { writeSteering } from "./writing.ts";

export async function custom(engine: Engine, input: Input): Promise<Done> {
  if (input.name === undefined) throw noTopic();
  const name = parseSteeringName(input.name);
  if (isCore(name)) throw coreAlready(name);
  const text = input.text === undefined ? await template(engine, name) : asFile(name, input.text);
  return writeSteering(engine, (tree) => {
    const path = pathOf(name);
    if (tree.has(path)) throw exists(name);
    const draft = new SteeringDraft(tree, engine.clock.now());
    draft.write(path, text);
    return planned(draft, "custom", { summary: `Steering on ${titleOf(name).toLowerCase()}`, reason: input.reason });
  });
}

async function template({ assets }: Pick<Engine, "assets">, name: SteeringName): Promise<string> {
  const asset = await assets.text(`templates/steering/${topicOf(name) ?? "topic"}`);
  return renderTemplate(asset, { title: titleOf(name) });
}

function asFile(name: SteeringName, said: string): string {
  const text = `${said.replace(/\r\n?/g, "\n").trim()}\n`;
  const isTitled = parseHeadings(parseProseLines(text))[0]?.level === 1;
  refuseBreaking("text", isTitled ? text.slice(text.indexOf("\n")) : text, 1);
  return isTitled ? text : `# ${titleOf(name)}\n\n${text}`;
}

const noTopic = (): Fault =>
  new Fault("input.missing", {
    what: "Nothing was written.",
    why: "No topic was named.",
    fix: { operation: "steering.manage", input: { action: "custom", name: "api-standards" } },
  });

const coreAlready = (name: SteeringName): Fault =>
  new Fault("steering.exists", {
    what: `${pathOf(name)} is no topic of its own.`,
    why: "It is one of the core files, which are made together.",
    fix: { operation: "steering.manage", input: { action: "create" } },
  });

const exists = (name: SteeringName): Fault =>
  new Fault("steering.exists", {
    what: "Nothing was written.",
    why: `${pathOf(name)} is there already, and nothing is overwritten.`,
    fix: { operation: "steering.manage", input: { action: "update", name, section: "…", text: "…" } },
  });
