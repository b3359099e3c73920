import fs from "node:fs";
import { dirname, join } from "node:path";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { replaceGuideTools } from "#doors/cli/terminal-render.ts";
import type { Engine } from "#doors/engine.ts";
import { selectTools } from "#doors/mcp/tool-table.ts";
import { createMcpServer } from "#doors/mcp/mcp-server.ts";
import { CHANGE_STAGES } from "#kernel/model/stages/change-stages.ts";
import { PROJECT_DOCUMENT_STAGES } from "#kernel/model/stages/project-stages.ts";
import { listNeededToolsets } from "#planning/operations/project/project-record-file.ts";
import { WORKFLOW_KINDS, getWorkflowFlow } from "#planning/model/workflow/workflow-record.ts";
import type { ProcessContext } from "#app/application-host.ts";
import { isFull } from "./chance.ts";
import { environment, placeFixture, type Stack, STACKS, toolchainProblem } from "./fixtures.ts";
import { git, temporaryFolder, temporaryRepository } from "./folder.ts";
import { type TestHouse, testHouse } from "./house.ts";
import { TRANSCRIPT_CALL } from "./transcript-answers.ts";

/**
 * A transcript is a user's session: `$` runs the command line, git or cat, `>` calls a tool, `<` writes a file from the `|`
 * lines below it. What was answered stands under each. `UPDATE=1` rewrites the answers; read them as product copy.
 *
 * `@ go without <paths>` on the first line begins with that project of `test/fixtures`, `@ home` only with a place outside
 * of the repository for what its user trusts; with both, tools are run for real. `@ 40 minutes pass` lets them,
 * and a file that is written `at wait 2` is written while the next call waits for the second time. `<hash>` and `<token>`
 * are what was answered last.
 */
const FOLDER = new URL("../transcripts/", import.meta.url);

/** Real tools run in some of them, and on a busy machine they take their time. */
const LONGEST = 240_000;
/** Whole lives of a project with its real tools. `test/stacks` runs the same tools one by one. */
const LONG = new Set(isFull ? [] : ["ts-002-react.txt", "ts-003-fastapi.txt", "ts-006-recovery.txt"]);
const AT_HOME = "@ home\n";
const BEGINNING = /^@ (\S+)(?: without (.+))?$/m;

export const listTranscripts = (): string[] => fs.readdirSync(FOLDER).filter((name) => name.endsWith(".txt"));

export function testTranscript(name: string): void {
  const path = new URL(name, FOLDER);
  const written = fs.readFileSync(path, "utf8");
  const missing = LONG.has(name) ? "with TENON_FULL=1" : findMissingTool(written);
  test.skipIf(missing !== undefined)(
    `${name}${missing === undefined ? "" : ` (${missing})`}`,
    { timeout: LONGEST },
    async () => {
      const replayed = await replay(written);
      if (process.env["UPDATE"]) fs.writeFileSync(path, replayed);
      expect(replayed).toBe(fs.readFileSync(path, "utf8"));
    },
  );
}

/** The project that it begins with, by its stack. */
function findNamedStack(transcript: string): Stack | undefined {
  const named = BEGINNING.exec(transcript.split("\n", 1)[0] ?? "")?.[1];
  return STACKS.find((stack) => stack === named);
}

function findMissingTool(transcript: string): string | undefined {
  const stack = findNamedStack(transcript);
  return stack && toolchainProblem(stack);
}

/**
 * Replays the calls of a transcript with the tools that a client is offered by default. Returns each answer to a tool with
 * the names of the tools that the client has after it.
 */
export async function replayWithDefaultTools(name: string): Promise<{ call: string; text: string; tools: string[] }[]> {
  const transcript = fs.readFileSync(new URL(name, FOLDER), "utf8");
  using session = await begin(transcript, true);
  const answers: { call: string; text: string; tools: string[] }[] = [];
  for (const [head = "", ...lines] of splitTranscript(transcript)) {
    const text = await session.take(head, lines).catch((error: unknown) => String(error));
    if (head.startsWith("> ") && text !== undefined) answers.push({ call: head, text, tools: await session.tools() });
  }
  return answers;
}

async function replay(transcript: string): Promise<string> {
  using session = await begin(transcript);
  const blocks: string[] = [];
  for (const block of splitTranscript(transcript)) {
    const [head = ""] = block;
    const answer = await session.take(head, block.slice(1));
    blocks.push(answer === undefined ? block.join("\n") : `${head}\n${answer}`.trimEnd());
  }
  return `${blocks.join("\n\n")}\n`;
}

interface Session extends Disposable {
  /** Does what a line says; what is answered, or nothing where there is no answer. */
  take(head: string, lines: readonly string[]): Promise<string | undefined>;
  tools(): Promise<string[]>;
}

async function begin(transcript: string, hasDefaultTools = false): Promise<Session> {
  const [repository, data] = [temporaryRepository(), temporaryFolder()];
  const root = repository.path;
  // Memory calls the project by its remote; the folder has another name each time.
  git(root, "remote", "add", "origin", "https://example.com/acme/shop.git");
  const stack = findNamedStack(transcript);
  if (stack) placeProject(root, stack, BEGINNING.exec(transcript)?.[2]?.split(" ") ?? []);
  const coming = new Map<number, () => void>();
  const passed = { ms: 0 };
  const wait: ProcessContext["wait"] = async (ms) => {
    house.clock.set(new Date(Date.parse(house.clock.now()) + ms).toISOString());
    waits++;
    coming.get(waits)?.();
  };
  let waits = 0;
  const real = { environment: environment(), dataFolder: data.path, wait, steadyClock: steadyClock(passed) };
  const house = testHouse(root, stack || transcript.startsWith(AT_HOME) ? real : {}, { errorWidth: 1000 });
  const client = await connect(house, hasDefaultTools);
  let [hash, token] = ["", ""];
  const heard = (answer: string): string => {
    hash = /\b[0-9a-f]{64}\b/.exec(answer)?.[0] ?? hash;
    token = [...answer.matchAll(TOKEN)][0]?.[2] ?? token;
    return hasDefaultTools ? answer : neat(answer, root);
  };
  return {
    async take(head, lines) {
      if (head.startsWith("< ")) {
        const [, path = "", at] = /^< (\S+)(?: at wait (\d+))?$/.exec(head) ?? [];
        const writeIt = (): void => writeFile(join(root, path), lines);
        if (at === undefined) writeIt();
        else coming.set(Number(at), writeIt);
      }
      const minutes = /^@ (\d+) minutes pass$/.exec(head)?.[1];
      if (minutes !== undefined) {
        passed.ms += Number(minutes) * 60_000;
        house.clock.set(new Date(Date.parse(house.clock.now()) + Number(minutes) * 60_000).toISOString());
      }
      const filled = head.replaceAll("<root>", root).replaceAll("<hash>", hash).replaceAll("<token>", token);
      if (!/^[$>] /.test(head)) return undefined;
      waits = 0;
      const answer = heard(await (head.startsWith("$ ") ? shell(house, filled, root) : tool(client, filled)));
      coming.clear();
      return answer;
    },
    tools: async () => (await client.listTools()).tools.map((each) => each.name),
    [Symbol.dispose]() {
      void client.close();
      house[Symbol.dispose]();
      repository[Symbol.dispose]();
      data[Symbol.dispose]();
    },
  };
}

/** Moves by one at each look, and by what is said to have passed. */
function steadyClock(passed: { readonly ms: number }): ProcessContext["steadyClock"] {
  let looks = 0;
  return { boot: "test boot", nowMs: () => ++looks + passed.ms };
}

/** The project as it was before what the transcript is about. */
function placeProject(root: string, stack: Stack, without: readonly string[]): void {
  placeFixture(stack, root);
  for (const path of without) fs.rmSync(join(root, path), { recursive: true });
  git(root, "add", "--all");
  git(root, "commit", "--quiet", "--message", "Begin");
}

/** Comments, files and commands; an answer belongs to the command above it and is left out. */
function splitTranscript(transcript: string): string[][] {
  const blocks: string[][] = [];
  let isAnswer = false;
  for (const line of transcript.split("\n")) {
    if (TRANSCRIPT_CALL.test(line)) {
      blocks.push([line]);
      isAnswer = true;
    } else if (/^[#<@] /.test(line)) {
      const isMore = line.startsWith("# ") && !isAnswer && blocks.at(-1)?.at(-1)?.startsWith("# ");
      if (isMore) blocks.at(-1)?.push(line);
      else blocks.push([line]);
      isAnswer = false;
    } else if (line.startsWith("|") && blocks.at(-1)?.[0]?.startsWith("< ")) {
      blocks.at(-1)?.push(line);
    }
  }
  return blocks;
}

/** The line that is written over while something runs: what it says when is another each time. */
// oxlint-disable-next-line no-control-regex
const PROGRESS = /\r\u001b\[2K(?!note: )[^\r\n]*|\r\u001b\[2K(?=note: )/g;

/** Commands that a person types in a terminal. */
const PEOPLE_ONLY = /^(?:knowledge approve|review waive) /;

async function shell(house: TestHouse, head: string, root: string): Promise<string> {
  const words = [...head.slice(2).matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(
    ([, quoted, bare]) => quoted?.replaceAll("\\n", "\n") ?? bare ?? "",
  );
  const program = words.shift();
  // What a person does beside Tenon: it is done, and its answer is git's own affair.
  if (program === "git") return (git(root, ...words), "");
  // Moved to the right, because a line of a file may look like one of a transcript.
  if (program === "cat")
    return fs
      .readFileSync(join(root, words[0] ?? ""), "utf8")
      .trimEnd()
      .replace(/^/gm, "  ");
  expect(program).toBe("tenon");
  const { code, out, err } = await (PEOPLE_ONLY.test(words.join(" ")) ? house.type(...words) : house.run(...words));
  return [out.trimEnd(), err.replace(PROGRESS, "").trimEnd(), code === 0 ? "" : `[exit ${code}]`]
    .filter((part) => part !== "")
    .join("\n");
}

async function tool(client: Client, head: string): Promise<string> {
  const [, name = "", input = "{}"] = /^> (\S+)(?: (.*))?$/.exec(head) ?? [];
  const asked = { name, arguments: JSON.parse(input) as Record<string, unknown> };
  const result = await client.callTool(asked, { timeout: LONGEST });
  const text = result.content.map((part) => (part.type === "text" ? part.text : part.type)).join("\n");
  const fault = result._meta?.["tenon/fault"] as { code: string } | undefined;
  return result.isError ? `${text}\n[error ${fault?.code}]` : text;
}

async function connect({ house }: TestHouse, hasDefaultTools: boolean): Promise<Client> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const offered = async (opened?: Engine) => {
    if (!hasDefaultTools) return selectTools(["all"]);
    const engine = opened ?? (await house.open({}));
    return selectTools(["default", ...(await engine.store.read(listNeededToolsets))]);
  };
  const server = await createMcpServer(house.mcpHouse(undefined, true), offered, house.surface);
  const client = new Client({ name: "transcript", version: "1.0.0" });
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  return client;
}

function writeFile(path: string, lines: readonly string[]): void {
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, `${lines.map((line) => line.replace(/^\| ?/, "")).join("\n")}\n`);
}

/** What carries a plan out. */
const TOKEN = /(confirm"?(?::"| ))([0-9a-f]{16})\b/g;

/** What an agent is asked to do; `test/roadmap/briefs` shows each in full. */
const BRIEF = /<!-- brief of (\S+) -->[\s\S]*?<!-- end of the brief of \1 -->/g;

/** Guides have their own tests; folders, versions of what is installed and what was measured are others elsewhere. */
function neat(answer: string, root: string): string {
  let text = answer
    .replaceAll(root, "<root>")
    // How long checks took differs from run to run.
    .replace(/^- took: .*\n|^took: .*\n/gm, "")
    .replace(/\b(since|in) [0-9a-f]{12}\b/g, "$1 <commit>")
    .replace(TOKEN, "$1<token>")
    .replace(BRIEF, "<brief of $1>")
    .replace(/\b[0-9a-f]{64}\b/g, "<hash>")
    .replace(/\b[0-9a-f]{40}\b/g, "<commit>")
    .replace(/\(\d+ KB\)/g, "(<size>)")
    .replace(/(?<=state writes: .*)\b\d+(?:\.\d)? ms\b/g, "<time>")
    .replace(/\d+ bytes is in/g, "<size> bytes is in")
    .replace(/^(node|sqlite|git)\tok\t.*$/gm, "$1\tok\t<version>");
  const guides = [
    ...CHANGE_STAGES.map((stage) => [stage, `change/${stage}`]),
    ...PROJECT_DOCUMENT_STAGES.map((stage) => [stage, `project/${stage}`]),
    ...WORKFLOW_KINDS.flatMap((kind) =>
      getWorkflowFlow(kind).stages.map(({ name }) => [name, `workflow/${kind}/${name}`]),
    ),
  ];
  for (const [stage, path] of guides) {
    const guide = fs.readFileSync(`assets/guides/${path}.md`, "utf8").trimEnd();
    for (const said of [guide, replaceGuideTools(guide)]) {
      // Guides show ids that are free in the project.
      const escaped = said.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/(?<=\b(?:N?FR|BR)-)001/g, "\\d+");
      text = text.replace(new RegExp(escaped, "g"), `(the guide of ${stage})`);
    }
  }
  return text.replaceAll(fs.readFileSync("assets/guides/connect.md", "utf8").trimEnd(), "(how to connect a client)");
}
