/**
 * An agent without a model. It poses as each known client, speaks its stream and does the work of its brief; a file
 * `plan.json` beside it tells what it does otherwise: to fail, to lie, to be silent.
 */
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { cutsOf, doWork, type Given } from "../roadmap/agents.ts";
import { receiveAcpPrompt } from "./acp-agent.ts";

interface Act {
  /** A part of the action's id. */
  readonly action: string;
  /** The client that does it; each one if it is missing. */
  readonly client?: string;
  /** The start, from 1, at which it happens; every start if it is missing. */
  readonly start?: number;
  readonly act:
    | "crash"
    | "silence"
    | "limit"
    | "login"
    | "no-report"
    | "wrong-report"
    | "wrong-file"
    | "record"
    | "ignore"
    | "children"
    | "stray"
    | "huge"
    | "broken"
    | "conflict"
    | "ask"
    | "busy"
    | "flood"
    | "forget"
    | "meanwhile";
  readonly text?: string;
}

interface Plan {
  readonly groups: Readonly<Record<string, readonly string[]>>;
  /** Milliseconds that each action takes. */
  readonly delay?: number;
  readonly acts?: readonly Act[];
  /** Keeps what each agent was asked. */
  readonly keepBriefs?: boolean;
  /** US dollars of each start of Claude Code. */
  readonly cost?: number;
  /** Files that each start of an agent with one piece of work writes. */
  readonly work?: readonly Readonly<Record<string, string>>[];
  /** More lines for the code of a group. */
  readonly shared?: string;
}

const [home = "", client = "", ...words] = process.argv.slice(2);
if (words[0] === "--version") {
  process.stdout.write("9.9.9\n");
  process.exit(0);
}
if (words[0] === "mcp") {
  process.stdout.write(client === "codex" ? "No MCP servers.\n" : "tenon: connected\n");
  process.exit(0);
}
const plan = JSON.parse(fs.readFileSync(join(home, "plan.json"), "utf8")) as Plan;
const acp = client === "acp" ? await receiveAcpPrompt(home) : undefined;
const brief = acp ? acp.brief : fs.readFileSync(0, "utf8");
if (plan.keepBriefs) fs.writeFileSync(join(home, `brief-${Date.now()}-${process.pid}.txt`), brief);
process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  fs.appendFileSync(join(home, "cpu.log"), `${user + system}\n`);
});
const log = (line: string): void => fs.appendFileSync(join(home, "starts.log"), `${line}\n`);

const getSession = (): string => {
  const at = words.findIndex((word) => ["--session-id", "--resume", "resume", "-s"].includes(word) && word !== "-s");
  const said = at < 0 ? undefined : words[at + 1];
  const isOwn = client === "opencode" ? words[words.lastIndexOf("-s") + 1] : said;
  return isOwn && !isOwn.startsWith("-") && words.includes(isOwn) ? isOwn : `${client}-${process.pid}`;
};
const session = acp ? acp.session : getSession();
const memory = join(home, `session-${session}.json`);
const isResumed = fs.existsSync(memory);
const given: Given = isResumed ? (JSON.parse(fs.readFileSync(memory, "utf8")) as Given) : readGiven();
fs.writeFileSync(memory, JSON.stringify(given));

function readGiven(): Given {
  if (brief.startsWith("Answer with the one word")) return { id: "check", kind: "spawn" };
  if (brief.startsWith("# Task\n")) return { id: "work", kind: "spawn" };
  const [, id = ""] = /action: "([^"]+)"/.exec(brief) ?? [];
  const role = id.includes("/architect/")
    ? "architect"
    : id.includes("/tasks/") || id.includes("task-generator")
      ? "task-generator"
      : id.includes("/build-")
        ? "builder"
        : /auditor/.test(id)
          ? "auditor"
          : "inspector";
  const [, named] = /^- You have several views: ([^.]+)\./m.exec(brief) ?? [];
  return { id, kind: "spawn", role, ...(named === undefined ? {} : { views: named.split(", ") }) };
}

const countFile = join(home, `count-${given.id.replaceAll("/", "_")}`);
fs.appendFileSync(countFile, ".");
const start = fs.statSync(countFile).size;
log(`${given.id} ${start} ${client} ${isResumed ? "resumed" : "fresh"}`);
const acts = (plan.acts ?? []).filter(
  (each) => given.id.includes(each.action) && (each.start ?? start) === start && (each.client ?? client) === client,
);
const has = (act: Act["act"]): Act | undefined => acts.find((each) => each.act === act);

const emit = (value: unknown): void => void fs.writeSync(1, `${JSON.stringify(value)}\n`);
const STREAMS: Readonly<
  Record<string, { begin(): void; tool(name: string): void; end(text: string): void; fail(text: string): void }>
> = {
  claude: {
    begin: () => emit({ type: "system", subtype: "init", session_id: session }),
    tool: (name) =>
      emit({
        type: "assistant",
        session_id: session,
        message: { content: [{ type: "tool_use", name }], usage: { input_tokens: 100, output_tokens: 10 } },
      }),
    end: (result) =>
      emit({
        type: "result",
        subtype: "success",
        is_error: false,
        session_id: session,
        result,
        total_cost_usd: plan.cost ?? 0.01,
        usage: { input_tokens: 200, output_tokens: 20 },
      }),
    fail: (result) =>
      emit({
        type: "result",
        subtype: "error",
        is_error: true,
        session_id: session,
        result,
        total_cost_usd: 0,
        usage: {},
      }),
  },
  codex: {
    begin: () => emit({ type: "thread.started", thread_id: session }),
    tool: (name) => emit({ type: "item.started", item: { type: name } }),
    end(text) {
      emit({ type: "item.completed", item: { type: "agent_message", text } });
      emit({ type: "turn.completed", usage: { input_tokens: 200, output_tokens: 20 } });
    },
    fail: (message) => emit({ type: "turn.failed", error: { message } }),
  },
  gemini: {
    begin: () => emit({ type: "init", session_id: session }),
    tool: (tool_name) => emit({ type: "tool_use", tool_name }),
    end(content) {
      const half = Math.floor(content.length / 2);
      for (const part of [content.slice(0, half), content.slice(half)])
        emit({ type: "message", role: "assistant", content: part, delta: true });
      emit({ type: "result", status: "success", stats: { total_tokens: 220 } });
    },
    fail: (message) => emit({ type: "result", status: "error", error: { message } }),
  },
  opencode: {
    begin: () => emit({ type: "step_start", sessionID: session }),
    tool: (tool) => emit({ type: "tool_use", sessionID: session, part: { tool } }),
    end(text) {
      emit({ type: "text", sessionID: session, part: { text } });
      emit({
        type: "step_finish",
        sessionID: session,
        part: { reason: "stop", cost: 0.01, tokens: { input: 200, output: 20 } },
      });
    },
    fail: (message) => emit({ type: "error", sessionID: session, error: { name: "Error", data: { message } } }),
  },
  copilot: {
    begin: () => emit({ type: "user.message", data: {} }),
    tool: (toolName) => emit({ type: "tool.execution_start", data: { toolName } }),
    end(content) {
      emit({ type: "assistant.message", data: { content } });
      emit({ type: "result", sessionId: session, exitCode: 0 });
    },
    fail: (message) => emit({ type: "session.error", data: { message } }),
  },
  acp: {
    begin: () => undefined,
    tool: (name) =>
      acp?.update({ sessionUpdate: "tool_call", toolCallId: name, title: `${name} a file`, kind: "read" }),
    end: (text) => acp?.end(text, plan.cost ?? 0.01),
    fail: (text) => acp?.fail(text),
  },
  mine: {
    begin: () => undefined,
    tool: () => undefined,
    end: (text) => void fs.writeSync(1, `${text}\n`),
    fail: (text) => void fs.writeSync(2, `${text}\n`),
  },
};
const stream = STREAMS[client];
if (!stream) throw new Error(`Nobody is called ${client}.`);

const write = (path: string, text: string): void => {
  // The test has ended. In a removed folder, a recursive mkdir of Node never returns.
  if (!fs.existsSync(home)) process.exit(1);
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, text);
};

stream.begin();
if (has("login")) {
  stream.fail("Not logged in. Please run /login");
  process.exit(1);
}
if (has("limit")) {
  stream.fail(has("limit")?.text ?? "429 Too Many Requests, retry after 1 seconds");
  process.exit(1);
}
stream.tool("Read");
if (plan.delay) await new Promise((resolve) => void setTimeout(resolve, plan.delay));
if (has("children")) {
  // In a session and a group of its own, and with an empty environment.
  const child = spawn("/bin/sh", ["-c", "exec sleep 300"], { detached: true, stdio: "ignore", env: {} });
  fs.appendFileSync(join(home, "children.log"), `${child.pid}\n`);
  child.unref();
}
// Ends by itself only if the machine forgets it.
for (let n = 0; has("busy") && n < 3000; n++) {
  stream.tool("Read");
  await new Promise((resolve) => void setTimeout(resolve, 100));
}
/** What others do in the main checkout while the agent works. */
const meanwhile = has("meanwhile")?.text;
if (meanwhile !== undefined) {
  const done = spawnSync("sh", ["-ec", meanwhile], { cwd: join(process.cwd(), "../../.."), encoding: "utf8" });
  log(`meanwhile done ${done.status} ${done.stderr}`.trim());
}
if (has("flood")) {
  for (let n = 0; n < 40_000; n++) stream.tool(`Read ${"x".repeat(60)}`);
  stream.tool("Bash AWS_ACCESS_KEY_ID=AKIA4TEN0NTESTKEY777");
}
for (const { act, text: wish } of acts) {
  if (!acp || act !== "ask" || wish === undefined) continue;
  const place = wish.startsWith("/") ? wish : join(process.cwd(), wish);
  const answer = await acp.ask(place);
  log(`asked ${wish} ${answer}`);
  if (answer === "allow_once") write(place, "asked for\n");
}
if (has("silence")) await new Promise((resolve) => void setTimeout(resolve, 300_000));
if (has("forget")) fs.rmSync(memory);
if (has("crash")) process.kill(process.pid, "SIGKILL");
if (given.id === "check") {
  stream.end("ready");
  process.exit(0);
}
// An honest agent does what the answer to its report asks for.
for (const [, files = ""] of brief.matchAll(/Restore them: (.+)\.$/gm))
  spawnSync("git", ["checkout", "HEAD", "--", ...files.split(", ")]);
if (given.id === "work") {
  for (const [path, text] of Object.entries(plan.work?.[start - 1] ?? {}))
    write(
      path.replace("*", () => fs.readdirSync("sdd/changes")[0] ?? ""),
      text,
    );
  log("work done");
  if (!has("no-report")) stream.end("I did the work.");
  process.exit(0);
}
const said = doWork({ write, commit: () => undefined }, cutsOf(plan.groups), given);
const changed = brief.includes("was not accepted") || isResumed ? 2 : 1;
if (has("wrong-file")) write("src/other.mjs", `export const other = ${start};\n`);
if (has("stray")) write("coverage/report.txt", "left behind\n");
if (has("record")) write(`sdd/features/${given.id.split("/")[0]}/spec.yaml`, "phase: implementation-complete\n");
const [, feature = "", group = ""] = /^([^/]+)\/build-([^/]+)\//.exec(given.id) ?? [];
if (has("huge")) fs.appendFileSync(`src/${feature}-${group}.mjs`, `// ${"x".repeat(99)}\n`.repeat(50_000));
if (has("broken")) write(`src/${feature}-${group}.mjs`, 'export const answer = () => "wrong";\n');
if (has("conflict")) {
  // A colleague commits another version of the file while the agent works.
  const root = join(process.cwd(), "../../..");
  const file = `src/${feature}-${group}.mjs`;
  fs.mkdirSync(join(root, "src"), { recursive: true });
  fs.writeFileSync(join(root, file), has("conflict")?.text ?? "");
  for (const step of [
    ["add", file],
    ["commit", "-qm", "Begin it differently"],
  ])
    spawnSync("git", step, { cwd: root });
}
if (has("ignore")) fs.writeFileSync(".gitignore", "src/\n");
stream.tool("Write");
log(`${given.id} done ${changed}`);
if (has("no-report")) acp?.end("", 0);
else stream.end(has("wrong-report")?.text ?? (has("wrong-report") ? "I did everything." : String(said["report"])));
