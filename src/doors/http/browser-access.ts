import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

export interface BrowserSession {
  readonly cookie: string;
  /** The page sends it with each call. Another site cannot read it. */
  readonly csrf: string;
}

const MAX_SESSIONS = 100;
const MAX_LOGIN_FAILURES = 20;

const createSecret = (): string => randomBytes(32).toString("hex");

/**
 * Who may call: a browser with a link or a password. A link opens one session, so that a program that finds it later, as
 * in a list of processes, cannot use it.
 */
export class BrowserAccess {
  readonly #password: string | undefined;
  readonly #links = new Set<string>();
  readonly #sessions = new Map<string, BrowserSession>();
  #failures = 0;

  constructor(password?: string) {
    this.#password = password;
  }

  get asksForPassword(): boolean {
    return this.#password !== undefined;
  }

  createLinkToken(): string {
    const token = createSecret();
    this.#links.add(token);
    return token;
  }

  /** Undefined for a wrong or used token. After too many failures it accepts none. */
  openSession({ token, password }: { readonly token?: unknown; readonly password?: unknown }) {
    if (this.#failures >= MAX_LOGIN_FAILURES) return undefined;
    const isLink = typeof token === "string" && this.#links.delete(token);
    if (!isLink && !this.#isPassword(password)) {
      this.#failures += 1;
      return undefined;
    }
    const session: BrowserSession = { cookie: createSecret(), csrf: createSecret() };
    this.#sessions.set(session.cookie, session);
    const [oldest = ""] = this.#sessions.keys();
    if (this.#sessions.size > MAX_SESSIONS) this.#sessions.delete(oldest);
    return session;
  }

  findSession(cookie: string | undefined): BrowserSession | undefined {
    return cookie === undefined ? undefined : this.#sessions.get(cookie);
  }

  #isPassword(said: unknown): boolean {
    if (this.#password === undefined || typeof said !== "string") return false;
    return isSameSecret(said, this.#password);
  }
}

const hashSecret = (text: string): Buffer => createHash("sha256").update(text).digest();

export const isSameSecret = (one: string, other: string): boolean =>
  timingSafeEqual(hashSecret(one), hashSecret(other));

const LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"];

export const isLoopbackAddress = (address: string): boolean =>
  LOOPBACK_NAMES.includes(address.includes(":") && !address.startsWith("[") ? `[${address}]` : address);

/**
 * Rejects a page that reaches this server under a name of its own, as DNS rebinding does. Beyond loopback the user
 * chose the name, and only the password protects.
 */
export function isOwnHost(host: string | undefined, { address, port }: { address: string; port: number }): boolean {
  if (host === undefined) return false;
  if (!isLoopbackAddress(address)) return true;
  return LOOPBACK_NAMES.some((name) => host === `${name}:${port}`);
}

/** A browser names the origin of every call that can change something, and the kind of site that made it. */
export function isOwnOrigin(
  { origin, host, site }: { origin: string | undefined; host: string; site: string | undefined },
  isSecure: boolean,
): boolean {
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  return origin === undefined || origin === `${isSecure ? "https" : "http"}://${host}`;
}
