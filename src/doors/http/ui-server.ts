import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { createAdaptorServer, type ServerType } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { getCookie, setCookie } from "hono/cookie";
import { secureHeaders } from "hono/secure-headers";
import { streamSSE } from "hono/streaming";
import { Fault } from "#kernel/model/fault.ts";
import { isPlainObject } from "#kernel/model/plain-object.ts";
import { toSystemFault } from "#kernel/model/system-error.ts";
import { validateOperationInput } from "#kernel/operations/operation.ts";
import type { ToolSurfaceStore } from "../catalogue.ts";
import type { Engine } from "../engine.ts";
import { renderFaultFixes } from "../cli/terminal-render.ts";
import { findApiRoute, rejectClosedFields } from "./api-table.ts";
import { type BrowserAccess, isLoopbackAddress, isOwnHost, isOwnOrigin, isSameSecret } from "./browser-access.ts";
import { EventFeed } from "./event-feed.ts";
import { createOpenApiDocument } from "./openapi-document.ts";

export interface UiHost {
  readonly version: string;
  readonly surface: ToolSurfaceStore;
  /** An engine whose answers count as typed if a person started this server. */
  open(): Promise<Engine>;
  /** The built page. Undefined for an unknown name. */
  pageFile(name: string): Uint8Array | undefined;
  logDefect(error: unknown): Promise<{ readonly id: string; readonly log: string }>;
}

export interface UiAddress {
  readonly address: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
}

export interface UiServer {
  readonly port: number;
  createLink(): string;
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 1024 * 1024;
/** Far more pages than a person opens. An open stream costs a socket. */
const MAX_STREAMS = 64;
const HEARTBEAT_MS = 15_000;
const CSRF_HEADER = "x-tenon-csrf";

const PAGE_FILES = new Map([
  ["/", ["index.html", "text/html; charset=utf-8"]],
  ["/page.js", ["page.js", "text/javascript; charset=utf-8"]],
  ["/page.css", ["page.css", "text/css; charset=utf-8"]],
] as const);

/** No script, style or request of any other origin, and no frame around the page. */
const CONTENT_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", "data:"],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
};

export async function startUiServer(
  host: UiHost,
  access: BrowserAccess,
  { address, port: wantedPort, tls }: UiAddress,
): Promise<UiServer> {
  const feed = new EventFeed(async () => (await host.open()).store);
  const place = { address, port: wantedPort };
  const app = createUiApplication(host, access, feed, { place, isSecure: tls !== undefined });
  const server = tls
    ? createAdaptorServer({
        fetch: app.fetch,
        createServer: createSecureServer,
        serverOptions: { cert: readFileSync(tls.cert), key: readFileSync(tls.key) },
      })
    : createAdaptorServer({ fetch: app.fetch, createServer });
  place.port = await listenOn(server, place);
  const scheme = tls ? "https" : "http";
  const name = isLoopbackAddress(address) && address.includes(":") ? `[${address}]` : address;
  return {
    port: place.port,
    createLink: () => `${scheme}://${name}:${place.port}/#token=${access.createLinkToken()}`,
    close: () =>
      new Promise((resolve) => {
        feed.close();
        server.close(() => resolve());
        if ("closeAllConnections" in server) server.closeAllConnections();
      }),
  };
}

function listenOn(server: ServerType, { address, port }: { address: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "EADDRINUSE" ? "Another program uses this port." : `${error.message.slice(0, 200)}.`;
      const what = `The page cannot be served on ${address}, port ${port}.`;
      reject(new Fault("ui.port-taken", { what, why, fix: "tenon ui --port 0" }));
    });
    server.listen(port, address, () => {
      const bound = server.address();
      resolve(typeof bound === "object" && bound ? bound.port : port);
    });
  });
}

interface UiPlace {
  readonly place: { readonly address: string; readonly port: number };
  readonly isSecure: boolean;
}

function createUiApplication(host: UiHost, access: BrowserAccess, feed: EventFeed, where: UiPlace): Hono {
  const { place, isSecure } = where;
  const app = new Hono();
  app.use(
    secureHeaders({ contentSecurityPolicy: CONTENT_POLICY, referrerPolicy: "no-referrer", xFrameOptions: "DENY" }),
  );
  app.use(async (c, next) => {
    const [name, origin, site] = [c.req.header("host"), c.req.header("origin"), c.req.header("sec-fetch-site")];
    if (!isOwnHost(name, place)) return c.text("Open the page under the address that tenon ui printed.\n", 403);
    const isDocument = c.req.method === "GET" && PAGE_FILES.has(c.req.path as "/");
    if (!isDocument && !isOwnOrigin({ origin, host: name ?? "", site }, isSecure))
      return c.text("Another site made this call.\n", 403);
    c.header("cache-control", "no-store");
    return next();
  });
  for (const [path, [file, type]] of PAGE_FILES) {
    app.get(path, (c) => {
      const isPacked = /\bbr\b/.test(c.req.header("accept-encoding") ?? "");
      const bytes = host.pageFile(isPacked ? `${file}.br` : file);
      if (!bytes) return c.notFound();
      return c.body(Uint8Array.from(bytes), 200, {
        "content-type": type,
        vary: "accept-encoding",
        ...(isPacked ? { "content-encoding": "br" } : {}),
      });
    });
  }
  const cookieName = (): string => `tenon-${place.port}`;
  const findSession = (c: Context) => access.findSession(getCookie(c, cookieName()));
  app.use("*", bodyLimit({ maxSize: MAX_BODY_BYTES, onError: (c) => c.text("The call is larger than 1 MB.\n", 413) }));

  app.get("/session", (c) => {
    const session = findSession(c);
    return c.json({ csrf: session?.csrf ?? null, password: access.asksForPassword, version: host.version });
  });
  app.post("/session", async (c) => {
    const session = access.openSession(await readJsonObject(c));
    if (!session) return c.json({ error: { what: "This link or password does not open the page." } }, 401);
    setCookie(c, cookieName(), session.cookie, { httpOnly: true, sameSite: "Strict", path: "/", secure: isSecure });
    return c.json({ csrf: session.csrf, password: access.asksForPassword, version: host.version });
  });

  app.use("/api/*", async (c, next) => (findSession(c) ? next() : c.json({ error: LOGIN_ERROR }, 401)));
  app.get("/api/openapi.json", async (c) =>
    c.json(await createOpenApiDocument(host.version, (id) => host.surface.of(id))),
  );
  app.get("/api/events", (c) => serveEvents(c, feed));
  app.post("/api/:operation", async (c) => {
    const session = findSession(c);
    if (!session || !isSameSecret(c.req.header(CSRF_HEADER) ?? "", session.csrf))
      return c.json({ error: LOGIN_ERROR }, 403);
    if (!/^application\/json\b/.test(c.req.header("content-type") ?? ""))
      return c.json({ error: createCallError("ui.closed", "The call is not JSON.") }, 415);
    return answerApiCall(c, host);
  });
  return app;
}

const createCallError = (code: string, what: string) => ({ code, what, why: "", fix: [] as string[] });
const LOGIN_ERROR = createCallError("ui.login", "Open the page with the link that tenon ui prints.");

async function readJsonObject(c: Context): Promise<Record<string, unknown>> {
  const value: unknown = await c.req.json().catch(() => undefined);
  return isPlainObject(value) ? value : {};
}

async function answerApiCall(c: Context, host: UiHost) {
  try {
    const route = await findApiRoute(c.req.param("operation") ?? "");
    if (!route) return c.json({ error: createCallError("ui.closed", "The page has no such call.") }, 404);
    const input = await readJsonObject(c);
    rejectClosedFields(route, input);
    const checked = await validateOperationInput(route.operation, input);
    return c.json((await route.operation.run(await host.open(), checked)) as object);
  } catch (thrown) {
    const error = toSystemFault(thrown) ?? thrown;
    if (error instanceof Fault) {
      const { code, what, why } = error;
      return c.json({ error: { code, what, why, fix: renderFaultFixes(error, "tenon ui") } }, 400);
    }
    const { id } = await host.logDefect(error);
    return c.json({ error: createCallError("defect", `Defect ${id} in Tenon. The details are in its log.`) }, 500);
  }
}

function serveEvents(c: Context, feed: EventFeed) {
  if (feed.listenerCount >= MAX_STREAMS) return c.json({ error: createCallError("ui.busy", "Too many pages.") }, 503);
  return streamSSE(c, async (stream) => {
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    stream.onAbort(close);
    const stop = feed.listen((events) => {
      for (const event of events) void stream.writeSSE({ id: String(event.seq), data: JSON.stringify(event) });
    });
    const heartbeat = setInterval(() => void stream.writeSSE({ event: "alive", data: "" }), HEARTBEAT_MS);
    try {
      await feed.readNew();
      // The page reads everything again now, so a page that was away misses nothing.
      await stream.writeSSE({ event: "open", data: "" });
      await closed;
    } finally {
      clearInterval(heartbeat);
      stop();
    }
  });
}
