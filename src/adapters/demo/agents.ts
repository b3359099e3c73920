import { renderTemplate } from "#domain/template.ts";
import type { Stage } from "./stage.ts";

/** An action of the roadmap, as an agent is given it. */
export interface Given {
  readonly id: string;
  readonly kind: string;
  readonly role?: string;
  readonly choices?: readonly string[];
  readonly message?: string;
  readonly again?: boolean;
}

/** What became of a report. */
export interface Taken {
  readonly outcome: string;
  readonly problems: readonly { readonly problem: string }[];
  readonly receipt?: string;
}

type Said = Readonly<Record<string, unknown>>;

/** Agents of one session give their name. */
const SESSION = "morning";

/** Roles whose reports have a form of their own; all others inspect. */
const FORMS = ["architect", "task-generator", "builder", "auditor"];

const featureOf = ({ id }: Given): string => id.split("/")[0] ?? "";

/** What is due next for the agents; nothing when all is done. */
export async function next(stage: Stage): Promise<Given | undefined> {
  const { data } = await stage.tool("sdd_next", { limit: 1, session: SESSION });
  return (data["actions"] as readonly Given[] | undefined)?.[0];
}

export async function report(stage: Stage, { id }: Given, said: Said, onProgress?: () => void): Promise<Taken> {
  const { data, text, isError } = await stage.tool("sdd_report", { action: id, ...said }, onProgress);
  if (isError) throw new Error(`${id}: ${text}`);
  return data as unknown as Taken;
}

/** The text that an agent ends with, in the form of its role. */
export async function says(stage: Stage, role: string, values: Readonly<Record<string, string>>): Promise<string> {
  const template = await stage.text("reports", role);
  return renderTemplate(template, { finding: "", verdict: "GO", ...values });
}

/** Does what is asked, honestly, and says so. */
async function work(stage: Stage, given: Given): Promise<Said> {
  const { kind, role = "", choices = [], message = "" } = given;
  const feature = featureOf(given);
  const folder = `sdd/features/${feature}`;
  if (kind === "gate") return {};
  if (kind === "ask") return { answer: choices[0], said: "Go on" };
  if (kind === "commit") {
    await stage.commit(message);
    return {};
  }
  if (role === "architect") {
    stage.write(`${folder}/design.md`, await stage.text(feature, "design"));
    stage.write(`${folder}/research.md`, await stage.text(feature, "research"));
  }
  if (role === "task-generator") stage.write(`${folder}/tasks.yaml`, await stage.text(feature, "tasks"));
  if (role === "builder") await build(stage, feature);
  const form = FORMS.find((name) => role.startsWith(name)) ?? "inspector";
  return { report: await says(stage, form, { feature }) };
}

/** The files of a feature's one Builder: `code` and `test`, or others of its texts. */
export async function build(stage: Stage, feature: string, code = "code", test = "test"): Promise<void> {
  stage.write(`src/${feature}.js`, await stage.text(feature, code));
  stage.write(`test/${feature}.test.js`, await stage.text(feature, test));
}

/** Lets agents do all that is due, honestly, until an action that matches is; that one is left to the caller. */
export async function playUntil(stage: Stage, due: RegExp): Promise<Given> {
  for (;;) {
    const given = await next(stage);
    if (!given) throw new Error(`Nothing is due, and ${due.source} never was.`);
    if (due.test(given.id)) return given;
    await finish(stage, given);
  }
}

/** Does one thing that is due, and sees it taken. */
export async function finish(stage: Stage, given: Given, said?: Said): Promise<Taken> {
  const taken = await report(stage, given, said ?? (await work(stage, given)));
  if (taken.outcome !== "applied")
    throw new Error(`${given.id} is ${taken.outcome}: ${JSON.stringify(taken.problems)}`);
  stage.note(`> ${given.id}`);
  return taken;
}

/** Everything that is left. */
export async function playAll(stage: Stage): Promise<void> {
  for (let given = await next(stage); given; given = await next(stage)) await finish(stage, given);
}
