import fs from "node:fs";
import { dirname, join } from "node:path";
import { TINY } from "../gate/tiny.ts";
import { openIn } from "../gate/project.ts";
import { type Connection, connect, getFault } from "../kit/client.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { type Finished, tenon } from "../kit/process.ts";
import { bugSpec, featureSpec } from "../kit/specs.ts";
import type { Answer } from "./stand.ts";

type Input = Readonly<Record<string, unknown>>;

/** A client of its own process, connected to a server of its own. */
interface CompanyClient extends AsyncDisposable {
  readonly pid: number;
  call(tool: string, input?: Input): Promise<Answer & { readonly fault?: string; readonly text: string }>;
  /** Takes a workflow with a filled-in spec to the stage in which it is built. */
  build(id: string): Promise<void>;
  gate(input?: Input): Promise<string[]>;
  /** Ends the server as the system does when the client is killed. */
  kill(): Promise<void>;
}

export interface Company extends Disposable {
  readonly root: string;
  client(env?: Readonly<Record<string, string>>): Promise<CompanyClient>;
  run(...words: string[]): Finished;
  hook(event: string, payload: Input): Finished;
  /** An edit by a client with hooks. */
  edit(session: string, path: string, text: string): void;
  /** A shell command of a client with hooks; `act` is what it does. */
  shell(session: string, command: string, act: () => void): void;
  write(path: string, text: string): void;
  read(path: string): string;
  has(path: string): boolean;
}

/** A repository with small tools of its own that the user trusts, for several clients and a user at the keyboard. */
export function startCompany(files: Readonly<Record<string, string>> = {}): Company {
  const folder = temporaryRepository();
  const data = temporaryFolder();
  const root = folder.path;
  const write = (path: string, text: string): void => {
    fs.mkdirSync(dirname(join(root, path)), { recursive: true });
    fs.writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries({ ...TINY, ...files })) write(path, text);
  write(".gitignore", ".sdd/\n*.log\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "Begin");
  const env = { TENON_HOME: data.path };
  const run = (...words: string[]): Finished => tenon(words, { cwd: root, env });
  const { hash } = JSON.parse(run("trust", "--json").out) as { hash: string };
  run("trust", "--confirm", hash);
  const hook: Company["hook"] = (event, payload) =>
    tenon(["hook", event], { cwd: root, env, input: JSON.stringify({ cwd: root, ...payload }) });
  const use = (call: Input, act: () => void): void => {
    const { out } = hook("pre-tool-use", call);
    if (out !== "") throw new Error(out);
    act();
    hook("post-tool-use", call);
  };
  return {
    root,
    run,
    write,
    read: (path) => fs.readFileSync(join(root, path), "utf8"),
    has: (path) => fs.existsSync(join(root, path)),
    hook,
    edit: (session_id, path, text) =>
      use({ session_id, tool_name: "Write", tool_input: { file_path: join(root, path) } }, () => write(path, text)),
    shell: (session_id, command, act) =>
      use({ session_id, tool_name: "Bash", tool_input: { command }, tool_use_id: `toolu_${command.length}` }, act),
    client: async (more = {}) =>
      createClient(
        await connect("2025-11-25", { cwd: root, words: ["--toolsets", "all"], env: { ...env, ...more } }),
        write,
      ),
    [Symbol.dispose]() {
      folder[Symbol.dispose]();
      data[Symbol.dispose]();
    },
  };
}

function createClient(connection: Connection, write: Company["write"]): CompanyClient {
  const call: CompanyClient["call"] = async (tool, input = {}) => {
    const result = await connection.call(tool, { ...input });
    const [content] = result.content;
    const fault = getFault(result);
    return {
      ...(result.structuredContent as Answer),
      text: content?.type === "text" ? content.text : "",
      ...(fault === undefined ? {} : { fault: fault as string }),
    };
  };
  return {
    pid: connection.pid ?? 0,
    call,
    async build(id) {
      const isBug = id.startsWith("BUG-");
      const started = await call(isBug ? "sdd_bugfix" : "sdd_feature", { description: `The work of ${id}`, id });
      if (started.fault !== undefined) throw new Error(started.text);
      write(`sdd/specs/${id}.yaml`, (isBug ? bugSpec : featureSpec)(id));
      for (const stage of isBug ? ["investigate", "specify-fix"] : ["discover", "specify"]) {
        const answer = await call("sdd_workflow_advance", { stage, approve: "Ann" });
        if (answer.passed !== true) throw new Error(answer.text);
      }
    },
    gate: async (input = {}) => {
      const answer = await call("sdd_gate", input);
      return answer.fault === undefined ? openIn(answer) : [answer.text];
    },
    kill: async () => {
      process.kill(connection.pid ?? 0, "SIGKILL");
      await connection.closed;
    },
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}
