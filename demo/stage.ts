import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { parsePlainYaml } from "#kernel/model/plain-yaml.ts";
import { McpClient, type ToolAnswer } from "./mcp-client.ts";

export interface DemoWorld {
  out(text: string): void;
  readonly hasColour: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly program: string;
  asset(name: string): Promise<string>;
  /** Runs git with an identity other than the user's; undefined when it fails. */
  git(folder: string, words: readonly string[], environment: NodeJS.ProcessEnv): Promise<string | undefined>;
}

export interface StageOptions {
  readonly verbose: boolean;
}

export interface CommandOutcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Variables that describe the caller's work and must not reach the demo. */
const FOREIGN_VARIABLES = /^(?:GIT_|TENON_|CLAUDE_|GITHUB_ACTIONS$|NODE_OPTIONS$|NODE_TEST|NODE_V8_COVERAGE$)/;

/** A temporary repository, a user at the command line, and agents that call an MCP server. */
export class DemoStage {
  readonly root: string;
  readonly promises: PromiseLog;
  readonly #world: DemoWorld;
  readonly #wish: StageOptions;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #texts = new Map<string, ReadonlyMap<string, string>>();
  readonly #running = new Set<ChildProcess>();
  #client: McpClient | undefined;
  #chapter = 0;
  #isOver = false;

  constructor(world: DemoWorld, folder: string, wish: StageOptions) {
    this.#world = world;
    this.#wish = wish;
    this.root = join(folder, "ferry");
    fs.mkdirSync(this.root);
    const own = Object.entries(world.environment).filter(([name]) => !FOREIGN_VARIABLES.test(name));
    this.#environment = {
      ...Object.fromEntries(own),
      // Separates memory and trust from the user's.
      TENON_HOME: join(folder, "home"),
      PATH: [dirname(process.execPath), world.environment["PATH"] ?? ""].join(delimiter),
    };
    this.promises = new PromiseLog(({ promise, instead }) => {
      if (instead === undefined) this.say(`${this.#dress("✓", 32)} ${promise}`);
      else this.say(`${this.#dress("✗", 31)} ${promise}: ${sanitizeText(instead, 600)}`);
    });
  }

  async text(file: string, name: string): Promise<string> {
    const texts = this.#texts.get(file) ?? parseDemoTexts(await this.#world.asset(`demo/${file}.txt`));
    this.#texts.set(file, texts);
    return getDemoText(texts, name);
  }

  async texts(file: string): Promise<ReadonlyMap<string, string>> {
    return parseDemoTexts(await this.#world.asset(`demo/${file}.txt`));
  }

  async chapter(name: string): Promise<void> {
    const [title = "", ...told] = (await this.text("story", name)).trimEnd().split("\n");
    this.#world.out(`\n${this.#dress(`${++this.#chapter}. ${title}`, 1)}\n`);
    this.say(told.join(" "));
  }

  say(line: string): void {
    this.#world.out(`   ${line}\n`);
  }

  note(line: string): void {
    this.say(this.#dress(line, 2));
  }

  write(path: string, text: string): void {
    fs.mkdirSync(dirname(join(this.root, path)), { recursive: true });
    fs.writeFileSync(join(this.root, path), text);
  }

  read(path: string): string {
    return fs.existsSync(join(this.root, path)) ? fs.readFileSync(join(this.root, path), "utf8") : "";
  }

  value(path: string, ...keys: readonly string[]): unknown {
    return ["value", ...keys].reduce<unknown>(
      (found, key) => (typeof found === "object" && found !== null ? Reflect.get(found, key) : undefined),
      parsePlainYaml(this.read(path)),
    );
  }

  async git(...words: readonly string[]): Promise<string> {
    const answer = await this.#world.git(this.root, words, this.#environment);
    if (answer === undefined) throw new Error(`Git refused to ${words[0] ?? ""}.`);
    return answer.trimEnd();
  }

  async commit(message: string): Promise<void> {
    await this.git("add", "--all");
    await this.git("commit", "--quiet", "--allow-empty", "--message", message);
  }

  async tenon(...words: readonly string[]): Promise<CommandOutcome> {
    if (this.#isOver) throw new Error("The demo was stopped.");
    this.note(
      `$ tenon ${words
        .filter((word) => word !== "--json")
        .map(formatTypedWord)
        .join(" ")}`,
    );
    const child = spawn(process.execPath, [this.#world.program, ...words], {
      cwd: this.root,
      env: this.#environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#running.add(child);
    const [out, err] = [child.stdout, child.stderr].map(collectStreamText);
    await once(child, "close");
    this.#running.delete(child);
    const outcome = { code: child.exitCode, out: out?.() ?? "", err: err?.() ?? "" };
    const isData = words.includes("--json");
    if (this.#wish.verbose) this.#world.out(`${outcome.out}${outcome.err}`);
    else if (!isData) this.note(`  ${outcome.out.split("\n", 1)[0] ?? ""}`);
    return outcome;
  }

  async ask(...words: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
    const { out, err } = await this.tenon(...words, "--json");
    if (out === "") throw new Error(`tenon ${words.join(" ")}: ${err}`);
    return JSON.parse(out) as Record<string, unknown>;
  }

  /** Calls a tool as an agent. Starts a server for the first call and after a kill. */
  async tool(name: string, input: Readonly<Record<string, unknown>>, onProgress?: () => void): Promise<ToolAnswer> {
    const answer = await (await this.#server()).call(name, input, onProgress);
    if (this.#wish.verbose) this.#world.out(`> ${name} ${JSON.stringify(input)}\n${answer.text}\n`);
    return answer;
  }

  async kill(): Promise<void> {
    await this.#client?.kill();
    this.#client = undefined;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    for (const child of this.#running) child.kill("SIGTERM");
    await Promise.all([...this.#running].map((child) => once(child, "close")));
    await this.kill();
  }

  async #server(): Promise<McpClient> {
    if (this.#isOver) throw new Error("The demo was stopped.");
    this.#client ??= await McpClient.connect(
      [process.execPath, this.#world.program, "mcp", "--structured", "--toolsets", "all"],
      {
        cwd: this.root,
        env: this.#environment,
      },
    );
    return this.#client;
  }

  #dress(text: string, code: number): string {
    return this.#world.hasColour ? `\u001b[${code}m${text}\u001b[0m` : text;
  }
}

const formatTypedWord = (word: string): string => (/\s/.test(word) ? JSON.stringify(word) : sanitizeText(word, 24));

function collectStreamText(stream: NodeJS.ReadableStream): () => string {
  const parts: Buffer[] = [];
  stream.on("data", (part: Buffer) => void parts.push(part));
  return () => Buffer.concat(parts).toString("utf8");
}

export interface PromiseOutcome {
  readonly promise: string;
  readonly instead?: string;
}

export class PromiseLog {
  readonly #all: PromiseOutcome[] = [];
  readonly #tell: (kept: PromiseOutcome) => void;

  constructor(tell: (kept: PromiseOutcome) => void) {
    this.#tell = tell;
  }

  hold(promise: string, is: unknown, should: unknown): void {
    const [found, wanted] = [JSON.stringify(is), JSON.stringify(should)];
    const kept = found === wanted ? { promise } : { promise, instead: `${found} instead of ${wanted}` };
    this.#all.push(kept);
    this.#tell(kept);
  }

  /** A promise that was never checked counts as broken. */
  break(promise: string, instead: string): void {
    const kept = { promise, instead };
    this.#all.push(kept);
    this.#tell(kept);
  }

  get all(): readonly PromiseOutcome[] {
    return this.#all;
  }

  get areKept(): boolean {
    return this.#all.length > 0 && this.#all.every(({ instead }) => instead === undefined);
  }
}

const DEMO_TEXT_HEADING = /^=== (.+)$/;

/** Each text starts with a line `=== name`. */
export function parseDemoTexts(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let name: string | undefined;
  for (const line of text.trimEnd().split("\n")) {
    name = DEMO_TEXT_HEADING.exec(line)?.[1] ?? name;
    if (name === undefined) throw new Error(`A text of the demo begins with ${JSON.stringify(line)}.`);
    found.set(name, DEMO_TEXT_HEADING.test(line) ? "" : `${found.get(name) ?? ""}${line}\n`);
  }
  return found;
}

export function getDemoText(texts: ReadonlyMap<string, string>, name: string): string {
  const text = texts.get(name);
  if (text === undefined) throw new Error(`The demo has no text called ${JSON.stringify(name)}.`);
  return text;
}
