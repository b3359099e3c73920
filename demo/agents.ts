import { renderTemplate } from "#kernel/model/template.ts";
import type { DemoStage } from "./stage.ts";

export interface DemoAction {
  readonly id: string;
  readonly kind: string;
  readonly role?: string;
  /** An inspector of several views reports on each. */
  readonly views?: readonly string[];
  readonly choices?: readonly string[];
  readonly message?: string;
  readonly again?: boolean;
}

export interface DemoReportResult {
  readonly outcome: string;
  readonly problems: readonly { readonly problem: string }[];
  readonly receipt?: string;
}

type DemoReport = Readonly<Record<string, unknown>>;

const REPORT_FORM_ROLES = ["architect", "task-generator", "builder", "auditor"];
const MAX_DEMO_ACTIONS = 5;

const parseActionFeature = ({ id }: DemoAction): string => id.split("/")[0] ?? "";
const isInspectorAction = ({ kind, role = "" }: DemoAction): boolean =>
  kind === "spawn" && !REPORT_FORM_ROLES.some((name) => role.startsWith(name));

/** Agents of one session that follow a script instead of a model. */
export class ScriptedAgents {
  readonly #stage: DemoStage;
  readonly #session: string;
  #given: DemoAction[] = [];

  constructor(stage: DemoStage, session: string) {
    this.#stage = stage;
    this.#session = session;
  }

  async next(): Promise<DemoAction | undefined> {
    if (this.#given.length === 0) {
      const { data } = await this.#stage.tool("sdd_next", { limit: MAX_DEMO_ACTIONS, session: this.#session });
      this.#given = [...((data["actions"] as readonly DemoAction[] | undefined) ?? [])];
    }
    return this.#given[0];
  }

  /** As after a crash: the assigned actions are unknown. */
  forget(): void {
    this.#given = [];
  }

  async report({ id }: DemoAction, said: DemoReport, onProgress?: () => void): Promise<DemoReportResult> {
    const { data, text, isError } = await this.#stage.tool("sdd_report", { action: id, ...said }, onProgress);
    if (isError) throw new Error(`${id}: ${text}`);
    const taken = data as unknown as DemoReportResult;
    if (taken.outcome === "applied") this.#given = this.#given.filter((each) => each.id !== id);
    return taken;
  }

  /** As `report`, and prints the outcome. */
  async tell(given: DemoAction, said: DemoReport): Promise<DemoReportResult> {
    const taken = await this.report(given, said);
    const [first] = taken.problems;
    this.#stage.note(`> ${given.id}: ${first ? `rejected. ${first.problem}` : "accepted"}`);
    return taken;
  }

  /** Completes actions until one matches. That one is left to the caller. */
  async playUntil(due: RegExp): Promise<DemoAction> {
    for (;;) {
      const given = await this.next();
      if (!given) throw new Error(`Nothing is ready, and ${due.source} never was.`);
      if (due.test(given.id)) return given;
      await this.finish(given);
    }
  }

  async playAll(): Promise<void> {
    for (let given = await this.next(); given; given = await this.next()) await this.finish(given);
  }

  /** Completes one action. Throws if its report is not accepted. */
  async finish(given: DemoAction, said?: DemoReport): Promise<DemoReportResult> {
    const taken = await this.report(given, said ?? (await this.#work(given)));
    if (taken.outcome !== "applied") throw new Error(`${given.id} is ${taken.outcome}: ${formatReportProblems(taken)}`);
    if (!isInspectorAction(given))
      this.#stage.note(`> ${given.id}: accepted${given.message ? `, "${given.message}"` : ""}`);
    return taken;
  }

  async says(role: string, values: Readonly<Record<string, string>>): Promise<string> {
    return renderTemplate(await this.#stage.text("reports", role), { finding: "", verdict: "GO", ...values });
  }

  /** The finding is one of the first view. */
  async inspects(given: DemoAction, finding = ""): Promise<string> {
    const [first, ...rest] = given.views ?? [];
    const feature = parseActionFeature(given);
    const head = first === undefined ? "" : `VIEW:${first}\n`;
    const others = await Promise.all(
      rest.map(async (view) => `VIEW:${view}\n${await this.says("inspector", { feature })}`),
    );
    return [`${head}${await this.says("inspector", { feature, finding })}`, ...others].join("\n");
  }

  /** Writes the files of a feature's only Builder: the texts `code` and `test`, or others. */
  async build(feature: string, code = "code", test = "test"): Promise<void> {
    this.#stage.write(`src/${feature}.js`, await this.#stage.text(feature, code));
    this.#stage.write(`test/${feature}.test.js`, await this.#stage.text(feature, test));
  }

  async #work(given: DemoAction): Promise<DemoReport> {
    const { kind, role = "", choices = [], message = "" } = given;
    const feature = parseActionFeature(given);
    const folder = `sdd/features/${feature}`;
    if (kind === "gate") return {};
    if (kind === "ask") return { answer: choices[0], said: "Go on" };
    if (kind === "commit") {
      await this.#stage.commit(message);
      return {};
    }
    if (role === "architect") {
      this.#stage.write(`${folder}/design.md`, await this.#stage.text(feature, "design"));
      this.#stage.write(`${folder}/research.md`, await this.#stage.text(feature, "research"));
    }
    if (role === "task-generator") this.#stage.write(`${folder}/tasks.yaml`, await this.#stage.text(feature, "tasks"));
    if (role === "builder") await this.build(feature);
    const form = REPORT_FORM_ROLES.find((name) => role.startsWith(name));
    return { report: await (form === undefined ? this.inspects(given) : this.says(form, { feature })) };
  }
}

const formatReportProblems = ({ problems }: DemoReportResult): string =>
  problems.map(({ problem }) => problem).join(" ");
