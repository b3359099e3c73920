import fs from "node:fs";
import { join } from "node:path";
import { git } from "../kit/folder.ts";
import { put } from "../kit/repository.ts";
import { type HonestAgent, meetHonestAgent } from "../gate/honest-agent.ts";
import { JAVASCRIPT, type Language } from "./driver-languages.ts";

export interface DriverHabits {
  readonly commits?: boolean;
  readonly decides?: boolean;
  /** Files of the user that lie there, changed and not committed, before each change. */
  readonly userFiles?: boolean;
  /** A teammate's branch is merged in the middle of each change. */
  readonly merges?: boolean;
  /** The user commits everything after each stage, and edits another file. */
  readonly userCommits?: boolean;
  readonly language?: Language;
  /** The natural language that the agent writes in. */
  readonly words?: Words;
}

interface Words {
  readonly description: (n: number) => string;
  readonly sentence: (n: number) => string;
  readonly event: (n: number) => string;
  readonly system: string;
  readonly response: (n: number) => string;
}

const ENGLISH: Words = {
  description: (n) => `Part ${n} returns its number`,
  sentence: (n) => `part ${n} returns ${n}, as its callers expect`,
  event: (n) => `part ${n} is called`,
  system: "library",
  response: (n) => `return ${n}`,
};

export const CHINESE: Words = {
  description: (n) => `第${n}部分返回它的编号`,
  sentence: (n) => `第${n}部分返回${n}，正如调用者所期望的那样`,
  event: (n) => `第${n}部分被调用`,
  system: "程序库",
  response: (n) => `返回${n}`,
};

export const RUSSIAN: Words = {
  description: (n) => `Часть ${n} возвращает свой номер`,
  sentence: (n) => `часть ${n} возвращает ${n}, как ожидают её вызывающие`,
  event: (n) => `часть ${n} вызвана`,
  system: "библиотека",
  response: (n) => `вернуть ${n}`,
};

interface OpenStage {
  readonly stage: string;
  readonly guide: string;
}

interface ChangeAnswer {
  readonly change?: { readonly id: string; readonly path: string; readonly status: string };
  readonly next?: OpenStage;
  readonly facts?: readonly { readonly id: string; readonly severity: string }[];
  readonly adr?: { readonly id: string };
}

const PARTS = 16;

const README = "# Parts\n\nEach part has a number.\n";

const listProjectFiles = ({ files, partPath, createPart }: Language): Readonly<Record<string, string>> => ({
  ...files,
  "README.md": README,
  ...Object.fromEntries(Array.from({ length: PARTS }, (_, n) => [partPath(n), createPart(n, -1, [])] as const)),
});

/** What an honest agent writes for a placeholder of a guide; anything else gets a sentence. */
const FILLINGS: readonly (readonly [
  placeholder: RegExp,
  text: (n: number, language: Language, words: Words) => string,
])[] = [
  [/^(?:file|path|file or module|file or symbol)$/, (n, { partPath }) => `\`${partPath(n)}\``],
  [/^command/, (_, { command }) => command],
  [/^code$/, () => "0"],
  [/^result in numbers$/, () => "2 passed"],
  [/^known gap/, () => "none"],
  [/^event$/, (n, _, { event }) => event(n)],
  [/^system$/, (_, __, { system }) => system],
  [/^response$/, (n, _, { response }) => response(n)],
  [/^breaking/, () => "patch"],
];

/**
 * An agent that follows the guides and answers of Tenon word by word, and knows nothing else: it fills in the form of
 * each guide, answers every critical fact, writes the code and its test, and runs what it claims.
 */
export class HonestDriver implements AsyncDisposable {
  readonly #root: string;
  readonly #agent: HonestAgent;
  readonly #habits: DriverHabits;
  readonly #language: Language;
  readonly #words: Words;
  /** Calls of each piece of work, by its name. */
  readonly spent = new Map<string, number>();

  private constructor(root: string, agent: HonestAgent, habits: DriverHabits) {
    this.#root = root;
    this.#agent = agent;
    this.#habits = habits;
    this.#language = habits.language ?? JAVASCRIPT;
    this.#words = habits.words ?? ENGLISH;
  }

  static async meet(root: string, home: string, habits: DriverHabits = {}): Promise<HonestDriver> {
    const { language = JAVASCRIPT } = habits;
    for (const [path, text] of Object.entries(listProjectFiles(language))) put(root, path, text);
    if (language.packages) fs.symlinkSync(language.packages[1], join(root, language.packages[0]));
    git(root, "add", "-A");
    git(root, "commit", "-qm", "Begin");
    return new HonestDriver(root, await meetHonestAgent(root, home), habits);
  }

  /** Every refusal, every small or quick change with too many calls, and then all counts. Empty if there is none. */
  listFindings(mostCalls: Readonly<Record<string, number>> = {}): string[] {
    const { refused, calls } = this.#agent;
    const dear = [...this.spent]
      .map(([name, count]) => ({ name, count, most: mostCalls[name.split(" ")[0] ?? ""] ?? Infinity }))
      .filter(({ count, most }) => count > most)
      .map(({ name, count, most }) => `${name} took ${count} calls, and ${most} is the most`);
    if (refused.length + dear.length === 0) return [];
    const spent = [...this.spent].map(([name, count]) => `${name}: ${count}`).join(", ");
    return [`${refused.length} refusals in ${calls.length} calls (${spent})`, ...dear, ...refused];
  }

  async tell(tool: string, input: Record<string, unknown> = {}): Promise<ChangeAnswer> {
    return this.#agent.tell(tool, input);
  }

  /** One flow from its first call to its archive. */
  async change(n: number, type: string, size: string): Promise<void> {
    await this.#count(`${size} ${type}`, async () => {
      this.#leaveUserFiles(n);
      const { change, next } = await this.tell("sdd_change", {
        type,
        size,
        description: this.#words.description(n),
      });
      if (!change || !next) return;
      await (size === "small" ? this.#writeInPlace(change, n, type) : this.#stageByStage(next, n, type));
      await this.tell("sdd_change_archive", {});
    });
  }

  /** The lane for tiny work. */
  async quick(n: number): Promise<void> {
    await this.#count("quick", async () => {
      this.#leaveUserFiles(n);
      await this.tell("sdd_quick", { description: this.#words.description(n) });
      if (this.#habits.decides) await this.#decide("quick", n);
      this.#build(n, "fix", []);
      await this.tell("sdd_quick", { done: true });
    });
  }

  async #count(name: string, work: () => Promise<void>): Promise<void> {
    const before = this.#agent.calls.length;
    await work();
    this.spent.set(name, this.#agent.calls.length - before);
    if (!this.#habits.commits) return;
    git(this.#root, "add", "-A");
    git(this.#root, "commit", "--allow-empty", "-qm", name);
  }

  /** As the answer to the first call offers: several documents, then one call. */
  async #writeInPlace({ path }: { readonly path: string }, n: number, type: string): Promise<void> {
    const answers = await this.#checkContext();
    for (const file of fs.readdirSync(join(this.#root, path)).filter((name) => name.endsWith(".md"))) {
      const stage = file.replace(/\.md$/, "");
      if (stage === "verify") continue;
      const template = fs.readFileSync(join(this.#root, path, file), "utf8");
      const decided = await this.#decide(stage, n);
      put(this.#root, `${path}/${file}`, `${this.#fill(template, n, answers, [])}${decided}`);
    }
    await this.tell("sdd_change_advance", {});
    this.#commitAsUser(n, "tasks");
    this.#build(n, type, []);
    this.#commitAsUser(n, "code");
    const template = fs.readFileSync(join(this.#root, path, "verify.md"), "utf8");
    put(this.#root, `${path}/verify.md`, this.#fill(template, n, answers, []));
    await this.tell("sdd_change_advance", {});
  }

  async #stageByStage(first: OpenStage, n: number, type: string): Promise<void> {
    let ids: string[] = [];
    for (let next: OpenStage | undefined = first; next;) {
      const { stage, guide } = next;
      const answers = stage === "context-check" ? await this.#checkContext() : [];
      const form = /^```markdown\n([\s\S]*?)^```/m.exec(guide)?.[1] ?? "";
      if (stage === "spec") ids = this.#readSpecIds(form, guide);
      if (stage === "verify") this.#build(n, type, ids);
      const decided = await this.#decide(stage, n);
      const content = `${this.#fill(this.#cite(form, stage, ids), n, answers, ids)}${decided}`;
      ({ next } = await this.tell("sdd_change_advance", { content }));
      this.#commitAsUser(n, stage);
    }
  }

  /** The guide of the spec shows ids that can be used as they are. */
  #readSpecIds(form: string, guide: string): string[] {
    const existing = /list its id without a delta heading: `- (\S+)`/.exec(guide)?.[1];
    const free = /^- (FR-\d+) /m.exec(form)?.[1] ?? "FR-001";
    return existing === undefined ? [free] : [free, existing];
  }

  /** Later forms show FR-001 as an example: the ids of the spec take its place. */
  #cite = (form: string, stage: string, ids: readonly string[]): string =>
    stage === "spec" ? form : form.replace(/\bFR-001\b/g, ids[0] ?? "the behaviour");

  async #checkContext(): Promise<readonly string[]> {
    const { facts = [] } = await this.tell("sdd_context_check", {});
    return facts.filter(({ severity }) => severity === "critical").map(({ id }) => id);
  }

  async #decide(stage: string, n: number): Promise<string> {
    if (!this.#habits.decides) return "";
    const { adr } = await this.tell("sdd_adr", {
      title: `${this.#words.description(n)} (${stage})`,
      context: `Part ${n} could be a class or a function.`,
      decision: `Part ${n} stays a function.`,
      rationale: "It has no state.",
    });
    return `\nDecided: ${adr?.id}.\n`;
  }

  #fill(form: string, n: number, answers: readonly string[], ids: readonly string[]): string {
    const lines = form.replace(/^<!--.*-->\n+/, "").split("\n");
    return lines
      .flatMap((line) =>
        line.startsWith("- CF-1:")
          ? answers.map((id) => `- ${id}: The user settled it, and part ${n} agrees.`)
          : [line],
      )
      .map((line) => line.replace(/\s*\(<requirement ids?, if any>\)/, ids.length > 0 ? ` (${ids.join(", ")})` : ""))
      .flatMap((line) => {
        if (!line.startsWith("- TASK-001: `<command>`")) return [line];
        // As the guide asks, every second time the check was seen to fail without the change.
        const seen =
          n % 2 === 0
            ? line
            : "- TASK-001: `npm test` failed before the change: exit 1, 1 failed".replace(
                "npm test",
                this.#language.command,
              );
        return [seen, line.replace("001", "002")];
      })
      .map((line) =>
        line.replace(/<([^<>]+)>/g, (_, name: string) => {
          const [, text] = FILLINGS.find(([placeholder]) => placeholder.test(name)) ?? [];
          return text?.(n, this.#language, this.#words) ?? this.#words.sentence(n);
        }),
      )
      .join("\n");
  }

  /** A refactoring keeps the behaviour; anything else changes it. Both have a test. */
  #build(n: number, type: string, ids: readonly string[]): void {
    const result = type === "refactor" ? -1 : n;
    const { partPath, createPart, testPath, createTest } = this.#language;
    put(this.#root, partPath(n), createPart(n, result, ids));
    this.#mergeTeammate(n);
    const isInline = testPath(n) === partPath(n);
    put(this.#root, testPath(n), `${isInline ? createPart(n, result, ids) : ""}${createTest(n, result, ids)}`);
  }

  #commitAsUser(n: number, stage: string): void {
    if (!this.#habits.userCommits) return;
    put(this.#root, "NOTES.md", `The user is at ${stage} of ${n}.\n`);
    git(this.#root, "add", "-A");
    git(this.#root, "commit", "-qm", `Save ${stage} of ${n}`);
  }

  /** The user pulls a teammate's work, and the agent goes on with its own uncommitted files. */
  #mergeTeammate(n: number): void {
    if (!this.#habits.merges) return;
    const teammate = ["-c", "user.name=Mate", "-c", "user.email=mate@example.org"];
    const path = this.#language.partPath(100 + n);
    const base = git(this.#root, "rev-parse", "HEAD").trim();
    const blob = git(this.#root, "hash-object", "-w", "--", this.#language.partPath(n)).trim();
    git(this.#root, "update-index", "--add", "--cacheinfo", `100644,${blob},${path}`);
    const tree = git(this.#root, "write-tree").trim();
    git(this.#root, "reset", "-q");
    const commit = git(this.#root, ...teammate, "commit-tree", tree, "-p", base, "-m", `Add part ${100 + n}`).trim();
    git(this.#root, "merge", "-q", "--no-ff", "-m", `Merge part ${100 + n}`, commit);
  }

  #leaveUserFiles(n: number): void {
    if (!this.#habits.userFiles) return;
    for (let i = 0; i < 7; i++) put(this.#root, `drafts/idea-${n}-${i}.js`, `export const idea = ${i};\n`);
    put(this.#root, "README.md", `${README}\nThe user is writing: ${n}.\n`);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.#agent[Symbol.asyncDispose]());
  }
}
