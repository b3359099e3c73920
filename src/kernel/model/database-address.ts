import { Fault } from "./fault.ts";

/** Where a team's database is. Never shown: the URL holds the password. */
export interface DatabaseAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password?: string;
  readonly database: string;
  /** The schema of the team's tables. */
  readonly schema: string;
  /** `full` compares the server's name with its certificate, `authority` checks only who signed it. */
  readonly tls: "none" | "full" | "authority";
  /** A file with the certificates of your own authority. */
  readonly authorityFile?: string;
}

export const DATABASE_URL_VARIABLE = "TENON_DATABASE_URL";
/** In the user's data folder: `{"<folder of the repository>": {"ledger.url": "postgresql://…"}}`, for its owner alone. */
export const TEAM_FILE = "team.json";
const DEFAULT_SCHEMA = "tenon";
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,39}$/;
const UNSAFE_TLS_MODES = new Set(["disable", "allow", "prefer"]);
const SAFE_TLS_MODES = new Set(["require", "verify-ca", "verify-full"]);

/** `postgresql://user:password@host:port/database?schema=alpha&sslmode=verify-full`, with `host` also as a parameter. */
export function parseDatabaseAddress(text: string): DatabaseAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^postgres(?:ql)?:$/.test(url.protocol))
    throw createAddressFault("It is not a URL that begins with postgresql://");
  const get = (name: string): string | undefined => url.searchParams.get(name) || undefined;
  const host = (get("host") ?? decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, "$1")) || "localhost";
  const user = get("user") ?? decodeURIComponent(url.username);
  if (user === "") throw createAddressFault("It names no user.");
  const database = decodeURIComponent(url.pathname.slice(1)) || user;
  const schema = get("schema") ?? DEFAULT_SCHEMA;
  if (!SCHEMA_NAME.test(schema))
    throw createAddressFault("Its schema is not a name of small letters, digits and underscores.");
  const password = get("password") ?? decodeURIComponent(url.password);
  const authorityFile = get("sslrootcert");
  return {
    host,
    port: Number(get("port") ?? (url.port || 5432)),
    user,
    database,
    schema,
    tls: chooseTls(host, get("sslmode")),
    ...(password === "" ? {} : { password }),
    ...(authorityFile === undefined ? {} : { authorityFile }),
  };
}

function chooseTls(host: string, mode: string | undefined): DatabaseAddress["tls"] {
  if (mode !== undefined && !UNSAFE_TLS_MODES.has(mode) && !SAFE_TLS_MODES.has(mode))
    throw createAddressFault("Its sslmode is not known. Use verify-full.");
  const isUnsafe = mode === undefined || UNSAFE_TLS_MODES.has(mode);
  if (isLoopback(host) && isUnsafe) return "none";
  if (mode !== undefined && isUnsafe)
    throw new Fault("team.insecure", {
      what: "The team's database was not opened.",
      why: `sslmode=${mode} would send your work unencrypted to another machine.`,
      fix: `Set sslmode=verify-full in ${DATABASE_URL_VARIABLE}, with sslrootcert=<file> for your own authority.`,
    });
  return mode === "verify-ca" ? "authority" : "full";
}

/** A socket in the file system, or an address that never leaves this machine. */
const isLoopback = (host: string): boolean =>
  host.startsWith("/") || host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);

const createAddressFault = (why: string): Fault =>
  new Fault("team.bad-address", {
    what: "The address of the team's database cannot be used.",
    why,
    fix: `Set ${DATABASE_URL_VARIABLE}, such as postgresql://ada@db.example.org/tenon`,
  });

/** One spelling for all ways to name a remote: host and path, without user, scheme, port and ending. */
export function normalizeRemote(remote: string): string {
  const text = remote.trim();
  const short = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)(.+)$/.exec(text);
  const url = !short && URL.canParse(text) ? new URL(text) : undefined;
  const [host, path] = short
    ? [short[1] ?? "", short[2] ?? ""]
    : [url?.hostname ?? "", url ? decodeURIComponent(url.pathname) : text];
  return `${host.toLowerCase()}/${path
    .replace(/^\/+/, "")
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")}`;
}
