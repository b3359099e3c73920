import fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Readable, Writable } from "node:stream";
import type { TerminalIo } from "#doors/cli/command-table.ts";
import type { CliHost, McpServing } from "#doors/cli/run-cli.ts";
import { printNotice } from "#doors/cli/progress-line.ts";
import type { McpHost } from "#doors/mcp/client-session.ts";
import type { McpTool } from "#doors/mcp/tool-table.ts";
import type { MergeDriverFiles } from "#roadmap/adapters/merge-driver.ts";
import type { SteadyClock } from "#store/adapters/store-leases.ts";
import type { RootRequest } from "#kernel/adapters/workspace-root.ts";
import { Fault } from "#kernel/model/fault.ts";
import { DATABASE_URL_VARIABLE, TEAM_FILE } from "#kernel/model/database-address.ts";
import { CONFIG_PATH } from "#kernel/model/workspace-paths.ts";
import type { CallOrigin, EngineClock } from "#kernel/operations/engine.ts";
import type { Engine } from "#doors/engine.ts";
import type { CallingProgram } from "#planning/operations/ports/caller.ts";
import type { ModelChoice } from "#code/operations/ports/model.ts";
import type { CallProgress } from "#kernel/operations/call-progress.ts";
import type { ToolSurfaceStore, ToolSurface } from "#doors/catalogue.ts";
import type { RunningUi, UiServing } from "#doors/cli/ui-command.ts";
import type { UiHost } from "#doors/http/ui-server.ts";
import { openInBrowser } from "./browser-launch.ts";
import { createClientOrigin, createTerminalOrigin } from "./call-origin.ts";
import type { DatabaseConnections } from "./open-databases.ts";

/** The environment of the process. Tests pass their own. */
export interface ProcessContext {
  readonly cwd: string;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: EngineClock;
  wait(ms: number, cancelled: AbortSignal): Promise<void>;
  readonly steadyClock: SteadyClock;
  readonly newId: () => string;
  readonly io: TerminalIo;
  streams(): { readonly input: Readable; readonly output: Writable; log(text: string): void };
  /** The folder that holds `assets/` and `package.json`. */
  readonly packageFolder: URL;
  readonly dataFolder: string;
  /** The program behind the calls. A connection has a name of its own, a command has none. */
  caller?(name?: string): CallingProgram;
  /** Command lines of the processes that started this one, where the system shows them. */
  ancestors(): Promise<readonly (readonly string[])[]>;
}

interface HostOpenOptions {
  readonly mayLack?: boolean;
  readonly progress?: CallProgress | undefined;
  readonly trust?: string | undefined;
  readonly model?: ModelChoice | undefined;
  readonly caller?: CallingProgram | undefined;
  /** Default: the terminal. */
  readonly origin?: CallOrigin | undefined;
}

const UNKNOWN_CLIENT = { name: "an MCP client", canElicit: false };

/** All services behind the CLI and the MCP server, for the lifetime of the process. */
export class ApplicationHost implements CliHost {
  readonly io: TerminalIo;
  readonly version: string;
  readonly surface: ToolSurfaceStore;
  readonly environment: ProcessContext["environment"];
  readonly #world: ProcessContext;
  #databases: DatabaseConnections | undefined;
  /** Calls that a client made and did not wait for. */
  readonly #underWay = new Set<Promise<void>>();

  constructor(world: ProcessContext, version: string) {
    this.#world = world;
    this.io = world.io;
    this.environment = world.environment;
    this.version = version;
    this.surface = { of: async (id) => JSON.parse(await this.asset(`surface/${id}.json`)) as ToolSurface };
  }

  async open({ mayLack = false, ...where }: Partial<RootRequest> & HostOpenOptions): Promise<Engine> {
    const [{ DatabaseConnections: Databases }, { openWithoutWorkspace, openWorkspace }] = await Promise.all([
      import("./open-databases.ts"),
      import("./open-workspace.ts"),
    ]);
    const team = this.#databases ? undefined : await this.#connectTeam();
    this.#databases ??= new Databases(team);
    try {
      return openWorkspace(this.#world, this.#databases, { ...where, version: this.version });
    } catch (error) {
      const isNowhere = error instanceof Fault && /^workspace\.(?:not-found|is-home)$/.test(error.code);
      if (!mayLack || !isNowhere) throw error;
      return openWithoutWorkspace(this.#world, this.#databases, this.version, error);
    }
  }

  /** Loads nothing of PostgreSQL where no address is set. */
  async #connectTeam() {
    const { environment, dataFolder } = this.#world;
    const isSet = Boolean(environment[DATABASE_URL_VARIABLE]) || fs.existsSync(join(dataFolder, TEAM_FILE));
    return isSet ? (await import("./open-team.ts")).connectTeam(this.#world) : undefined;
  }

  async serveMcp({ isStructured = false, ...where }: McpServing): Promise<void> {
    const [{ createMcpServer, serveLineTransport }, { selectTools }] = await Promise.all([
      import("#doors/mcp/mcp-server.ts"),
      import("#doors/mcp/tool-table.ts"),
    ]);
    if (where.toolsets) selectTools(where.toolsets);
    const house = this.mcpHouse(where.argument, isStructured);
    const tools = (engine?: Engine) => this.#offeredTools(where, selectTools, engine);
    await serveLineTransport(this.#world.streams(), () => createMcpServer(house, tools, this.surface));
    await Promise.all(this.#underWay);
  }

  async serveUi({ workspace, password, ...address }: UiServing): Promise<RunningUi> {
    const [{ startUiServer }, { BrowserAccess }] = await Promise.all([
      import("#doors/http/ui-server.ts"),
      import("#doors/http/browser-access.ts"),
    ]);
    const access = new BrowserAccess(password);
    const house = this.#uiHouse(workspace);
    // Says at once if there is no workspace.
    await house.open();
    const server = await startUiServer(house, access, address);
    return {
      link: server.createLink(),
      openBrowser: () => openInBrowser(server.createLink(), this.#world.environment),
      close: () => server.close(),
    };
  }

  async exportUi({ workspace, to, name }: Parameters<CliHost["exportUi"]>[0]): Promise<string> {
    const { createPageSnapshot } = await import("#doors/http/page-snapshot.ts");
    const house = this.#uiHouse(workspace);
    const files = await createPageSnapshot(house, this.#world.clock.now());
    return (await house.open()).exports.write(to, name, files, `tenon ui --export ${name}-2`);
  }

  #uiHouse(argument: string | undefined): UiHost {
    const origin = { ...createTerminalOrigin(this.#world), name: "page" };
    return {
      version: this.version,
      surface: this.surface,
      open: () => this.open({ argument, origin }),
      pageFile: (name) => {
        const file = new URL(`dist/page/${name}`, this.#world.packageFolder);
        return fs.existsSync(file) ? fs.readFileSync(file) : undefined;
      },
      logDefect: (error) => this.logDefect(error),
    };
  }

  mcpHouse(argument?: string, isStructured = false): McpHost {
    // Two clients in one folder never share a session.
    const caller = this.#world.caller?.(`mcp-${this.#world.newId().slice(0, 8)}`);
    return {
      version: this.version,
      asset: (name) => this.asset(name),
      isStructured,
      isPlaceGiven: argument !== undefined || Boolean(this.#world.environment["TENON_WORKSPACE"]),
      // An MCP client can neither trust checks nor name a model. Only a user who types a command can.
      open: ({ client = UNKNOWN_CLIENT, ...said }) =>
        this.open({
          ...said,
          argument: said.argument ?? argument,
          isAgents: said.argument !== undefined,
          trust: undefined,
          model: undefined,
          caller,
          origin: createClientOrigin(this.#world, client),
        }),
      finishing: (call) => {
        const ended = call.then(
          () => undefined,
          () => undefined,
        );
        this.#underWay.add(ended);
        void ended.then(() => this.#underWay.delete(ended));
        return call;
      },
      logDefect: async (error) => {
        const defect = await this.logDefect(error);
        this.io.err(`defect ${defect.id}: the details are in ${defect.log}\n`);
        return defect;
      },
    };
  }

  /** The tools of the named or configured sets. With the default set it adds the sets that the workspace needs. */
  async #offeredTools(
    where: Omit<McpServing, "isStructured">,
    toolsIn: (names: readonly string[]) => readonly McpTool[],
    opened?: Engine,
  ): Promise<readonly McpTool[]> {
    const { DEFAULT_CONFIG } = await import("#kernel/model/workspace-config.ts");
    const fallback = where.toolsets ?? DEFAULT_CONFIG.mcp.toolsets;
    try {
      const engine = opened ?? (await this.open({ argument: where.argument }));
      const { mcp, memory } = await engine.settings.load();
      const names = where.toolsets ?? mcp.toolsets;
      const { listNeededToolsets } = await import("#planning/operations/project/project-record-file.ts");
      const more = names.includes("default") ? await engine.store.read(listNeededToolsets) : [];
      const tools = toolsIn([...names, ...more]);
      // Without memory these tools could only fault.
      return memory.enabled ? tools : tools.filter(({ toolset }) => toolset !== "memory" && toolset !== "explore");
    } catch (error) {
      // A server may start before there is a workspace.
      if (!(error instanceof Fault)) throw error;
      if (error.code === "config.invalid" || error.code === "usage.unknown-toolset") {
        printNotice(this.io, `${CONFIG_PATH}: ${error.why} The default tools are offered.`);
      }
      return toolsIn(fallback);
    }
  }

  async mergeFiles(files: MergeDriverFiles): Promise<boolean> {
    const [{ mergeGitFiles }, { getRecordFormat, sealRecord }] = await Promise.all([
      import("#roadmap/adapters/merge-driver.ts"),
      import("#store/adapters/record-seal.ts"),
    ]);
    return mergeGitFiles(files, {
      seal: (record, path) => sealRecord(record, getRecordFormat(path)),
      tell: (text) => this.io.err(`${text}\n`),
    });
  }

  async demo(wish: { readonly verbose: boolean; readonly keep: boolean }, stopped: AbortSignal): Promise<boolean> {
    const [{ playDemo }, { openGitCommand }] = await Promise.all([
      import("../../demo/demo.ts"),
      import("#git/adapters/git-command.ts"),
    ]);
    const { io, environment, packageFolder } = this.#world;
    const settings = [
      ["user.name", "Ada"],
      ["user.email", "ada@example.org"],
      ["init.defaultBranch", "main"],
    ] as const;
    const stage = {
      out: (text: string) => io.out(text),
      hasColour: io.hasColour,
      environment,
      program: fileURLToPath(new URL("bin/tenon.js", packageFolder)),
      asset: (name: string) => this.asset(name),
      git: async (folder: string, words: readonly string[], own: NodeJS.ProcessEnv) =>
        (await openGitCommand(folder, own)).ask(words, { settings }),
    };
    return playDemo(stage, wish, stopped);
  }

  async asset(name: string): Promise<string> {
    return fs.readFileSync(new URL(`assets/${name}`, this.#world.packageFolder), "utf8");
  }

  async logDefect(error: unknown): Promise<{ id: string; log: string }> {
    const id = this.#world.newId().slice(-8);
    const log = join(this.#world.dataFolder, "defects.log");
    const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
    try {
      fs.mkdirSync(this.#world.dataFolder, { recursive: true, mode: 0o700 });
      fs.appendFileSync(log, `${this.#world.clock.now()} ${id} ${details}\n`, { mode: 0o600 });
      return { id, log };
    } catch {
      return { id, log: `no log: ${log} cannot be written: ${details}` };
    }
  }

  close(): void {
    this.#databases?.close();
  }
}
