import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import { delimiter, dirname, join } from "node:path";
import { temporaryFolder } from "./folder.ts";

/** A real server in a folder of its own: `await using server = await startPostgres()`. */
export interface PostgresServer extends AsyncDisposable {
  /** The cluster's folder, with postgresql.conf and pg_hba.conf. */
  readonly data: string;
  readonly port: number;
  readonly pid: number;
  /** What the server has logged since its first start. */
  readonly log: string;
  /** Over the unix socket, unless the server was started with `isOnLoopback`. */
  url(database: string, user?: string): string;
  /** The URL of a new database: a copy of the template, or empty. */
  createDatabase(template?: string): string;
  /** Runs SQL as the superuser. The answer has a line per row, with tabs between the values. */
  sql(statement: string, database?: string): string;
  /** Starts the server again after `stop`, on the same data, socket and port. */
  start(): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

interface PostgresOptions {
  /** Listens on 127.0.0.1 too. */
  readonly isOnLoopback?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
}

const SUPERUSER = "postgres";
/** A kill of the server loses nothing, because the machine keeps running: only `fsync` is off. */
const SETTINGS = { fsync: "off", full_page_writes: "off", shared_buffers: "32MB", max_connections: "200", jit: "off" };

const binaries = findPostgresFolder();
/** PostgreSQL refuses root, so root needs the system user of Debian's package. */
const owner: { uid?: number; gid?: number } | undefined = process.getuid?.() === 0 ? findSystemUser(SUPERUSER) : {};

/** Why tests with PostgreSQL are skipped, or nothing. */
export const postgresProblem =
  binaries !== undefined && owner !== undefined
    ? undefined
    : "PostgreSQL is not installed: apt-get install postgresql, or scripts/install-debian-packages";

function findPostgresFolder(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = fs.existsSync(debian) ? fs.readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...(process.env["PATH"] ?? "").split(delimiter),
    ...versions.map((version) => join(debian, version, "bin")),
  ];
  return folders
    .filter((folder) => folder !== "" && fs.existsSync(join(folder, "postgres")))
    .map((folder) => dirname(fs.realpathSync(join(folder, "postgres"))))
    .find((folder) => ["initdb", "psql"].every((program) => fs.existsSync(join(folder, program))));
}

function findSystemUser(name: string): { uid: number; gid: number } | undefined {
  const users = fs.readFileSync("/etc/passwd", "utf8").split("\n");
  const fields = users.find((line) => line.startsWith(`${name}:`))?.split(":");
  return fields && { uid: Number(fields[2]), gid: Number(fields[3]) };
}

export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  if (binaries === undefined || owner === undefined) throw new Error(postgresProblem);
  const { isOnLoopback = false } = options;
  const folder = temporaryFolder();
  if (owner.uid !== undefined && owner.gid !== undefined) fs.chownSync(folder.path, owner.uid, owner.gid);
  const data = join(folder.path, "data");
  const setUp = ["-D", data, "-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"];
  execFileSync(join(binaries, "initdb"), setUp, { ...owner, cwd: folder.path, stdio: "pipe" });
  const port = isOnLoopback ? await findFreePort() : 5432;
  const settings = { ...SETTINGS, listen_addresses: isOnLoopback ? "127.0.0.1" : "", ...options.settings };
  const words = ["-D", data, "-k", folder.path, "-p", String(port)];
  for (const [name, value] of Object.entries(settings)) words.push("-c", `${name}=${value}`);
  let running = await spawnServer(words);
  const earlier: string[] = [];
  let databases = 0;
  const url = (database: string, user = SUPERUSER): string =>
    isOnLoopback
      ? `postgresql://${user}@127.0.0.1:${port}/${database}`
      : `postgresql:///${database}?host=${encodeURIComponent(folder.path)}&user=${user}`;
  const sql = (statement: string, database = "postgres"): string => {
    const at = ["-h", folder.path, "-p", String(port), "-U", SUPERUSER, "-d", database];
    const form = ["-X", "-q", "-t", "-A", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-c", statement];
    return execFileSync(join(binaries, "psql"), [...at, ...form], { encoding: "utf8", stdio: "pipe" }).trimEnd();
  };
  const stop = async (signal: NodeJS.Signals = "SIGQUIT"): Promise<void> => {
    await running.end(signal);
  };
  return {
    data,
    port,
    url,
    sql,
    stop,
    get pid() {
      return running.pid;
    },
    get log() {
      return [...earlier, ...running.log].join("");
    },
    createDatabase(template = "template1") {
      const name = `test_${process.pid}_${++databases}`;
      sql(`CREATE DATABASE ${name} TEMPLATE ${template}`);
      return url(name);
    },
    async start() {
      earlier.push(...running.log);
      running = await spawnServer(words);
    },
    async [Symbol.asyncDispose]() {
      await stop();
      folder[Symbol.dispose]();
    },
  };
}

interface RunningServer {
  readonly pid: number;
  readonly log: string[];
  end(signal: NodeJS.Signals): Promise<void>;
}

async function spawnServer(words: readonly string[]): Promise<RunningServer> {
  // After a kill, the last processes of the old server hold its memory for a moment.
  for (let attempt = 1; ; attempt++) {
    const server = await trySpawnServer(words);
    if (typeof server !== "string") return server;
    if (attempt === 50 || !server.includes("still in use")) throw new Error(`PostgreSQL did not start:\n${server}`);
    await new Promise((resolve) => void setTimeout(resolve, 100));
  }
}

async function trySpawnServer(words: readonly string[]): Promise<RunningServer | string> {
  const server = spawn(join(binaries ?? "", "postgres"), words, {
    ...owner,
    cwd: os.tmpdir(),
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(server, "close");
  const log: string[] = [];
  const isReady = await new Promise<boolean>((resolve) => {
    server.stderr.on("data", (chunk: Buffer) => {
      log.push(chunk.toString());
      if (log.join("").includes("ready to accept connections")) resolve(true);
    });
    server.on("close", () => {
      resolve(false);
    });
  });
  if (!isReady || server.pid === undefined) return log.join("");
  const { pid } = server;
  const guard = guardAgainstOrphan(pid);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    guard.kill("SIGKILL");
    if (server.exitCode === null && server.signalCode === null) server.kill(signal);
    await ended;
  };
  return { pid, log, end };
}

/** Stops the server when this process ends for any reason: the guard's input then ends. */
function guardAgainstOrphan(pid: number): ChildProcess {
  const guard = spawn("sh", ["-c", 'cat; kill -QUIT "$1"', "sh", String(pid)], { stdio: ["pipe", "ignore", "ignore"] });
  guard.unref();
  return guard;
}

async function findFreePort(): Promise<number> {
  const probe = net.createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
