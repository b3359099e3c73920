/** Attacks on the server of `tenon ui`, with plain requests and with a browser that another site controls. */
import fs from "node:fs";
import http from "node:http";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATION_IDS } from "#doors/catalogue.ts";
import { listApiRoutes } from "#doors/http/api-table.ts";
import { git } from "../kit/folder.ts";
import { hasBrowser, openChromium, type ServedPage, servePage } from "./serve-page.ts";

let served: ServedPage;
let cookie: string;
let csrf: string;

const JSON_TYPE = { "content-type": "application/json" };

interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

/** `fetch` chooses the Host header itself, so attacks need a plain request. */
function request(path: string, headers: Record<string, string> = {}, body?: string): Promise<Answer> {
  const { hostname, port } = new URL(served.origin);
  return new Promise((resolve, reject) => {
    const call = http.request(
      { hostname, port, path, method: body === undefined ? "GET" : "POST", headers, agent: false },
      (answer) => {
        let text = "";
        answer.setEncoding("utf8");
        answer.on("data", (chunk: string) => (text += chunk));
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
      },
    );
    call.on("error", reject);
    call.end(body);
  });
}

const call = (operation: string, input: object, headers: Record<string, string> = {}): Promise<Answer> =>
  request(`/api/${operation}`, { ...JSON_TYPE, cookie, "x-tenon-csrf": csrf, ...headers }, JSON.stringify(input));

beforeAll(async () => {
  served = await servePage("correct horse");
  const token = new URL(served.link).hash.slice("#token=".length);
  const { headers, text } = await request("/session", JSON_TYPE, JSON.stringify({ token }));
  cookie = headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
  ({ csrf } = JSON.parse(text) as { csrf: string });
});
afterAll(() => served[Symbol.asyncDispose]());

test("a link opens one session, and the cookie is out of reach of scripts and other sites", async () => {
  const token = new URL(served.link).hash.slice("#token=".length);
  expect((await request("/session", JSON_TYPE, JSON.stringify({ token }))).status).toBe(401);
  const { status, headers } = await request("/session", JSON_TYPE, JSON.stringify({ password: "correct horse" }));
  expect(status).toBe(200);
  expect(headers["set-cookie"]?.[0]).toMatch(/; HttpOnly; SameSite=Strict$|; HttpOnly.*SameSite=Strict/);
});

test("answers a person who is logged in, with exactly the operation's output", async () => {
  const { status, text } = await call("workspace.status", {});
  expect(status).toBe(200);
  const { out } = await served.run("status", "--json");
  expect(JSON.parse(text)).toEqual(JSON.parse(out));
});

test.each([
  ["without a cookie", { cookie: "" }, 401],
  ["with an invented cookie", { cookie: "tenon-1=00" }, 401],
  ["without the page's secret", { "x-tenon-csrf": "" }, 403],
  ["with another secret", { "x-tenon-csrf": "0".repeat(64) }, 403],
  ["from another origin", { origin: "https://example.org" }, 403],
  ["from a sandboxed frame", { origin: "null" }, 403],
  ["across sites, as the browser says", { "sec-fetch-site": "cross-site" }, 403],
  ["as a form, which needs no permission across sites", { "content-type": "text/plain" }, 415],
  ["under a name that an attacker's DNS leads here", { host: "attacker.example" }, 403],
  ["under that name with the right port", { host: "attacker.example:80" }, 403],
])("refuses a call %s", async (_, headers, status) => {
  expect((await call("approval.answer", { id: "x" }, headers)).status).toBe(status);
});

test("serves not even the page under another name", async () => {
  expect((await request("/", { host: "attacker.example" })).status).toBe(403);
});

test.each([
  ["/../package.json", 404],
  ["/..%2fpackage.json", 404],
  ["/page.js/../../main.cjs", 404],
  ["/dist/main.cjs", 404],
  ["/index.html", 404],
  ["//etc/passwd", 404],
])("serves no other file: %s", async (path, status) => {
  expect((await request(path)).status).toBe(status);
});

test.each(["../../../etc/passwd", "/etc/passwd", "sdd/../.git/config", ".git/config", ".env", "sdd/link.md"])(
  "shows no file outside of the repository or ignored by git: %s",
  async (path) => {
    fs.writeFileSync(join(served.root, ".git/info/exclude"), ".env\n");
    fs.writeFileSync(join(served.root, ".env"), "TOKEN=1\n");
    fs.rmSync(join(served.root, "sdd/link.md"), { force: true });
    fs.symlinkSync("/etc/passwd", join(served.root, "sdd/link.md"));
    const { status, text } = await call("workspace.documents", { path });
    expect({ status, code: (JSON.parse(text) as { error: { code: string } }).error.code }).toEqual({
      status: 400,
      code: "documents.unknown",
    });
  },
);

test("opens reads, and of all else only what a person gives", async () => {
  const routes = await listApiRoutes();
  const writing = routes.filter(({ operation }) => operation.effect !== "read").map(({ id }) => id);
  expect(writing.toSorted()).toEqual([
    "approval.answer",
    "change.archive",
    "gate.verify",
    "roadmap.manage",
    "roadmap.report",
    "run.resume",
    "run.stop",
    "spec.validate",
    "trace.drift",
    "workflow.prioritize",
    "workspace.doctor",
  ]);
  const closed = OPERATION_IDS.filter((id) => !routes.some((route) => route.id === id));
  for (const id of closed) expect({ id, status: (await call(id, {})).status }).toEqual({ id, status: 404 });
});

test.each([
  ["workspace.doctor", { reseal: "sdd/config.yaml" }],
  ["workspace.doctor", { restore: true }],
  ["gate.verify", { run: true }],
  ["roadmap.manage", { action: "delete" }],
  ["roadmap.manage", {}],
  ["roadmap.report", { action: "user-login/build-A/1" }],
  ["roadmap.report", { action: "user-login/build-A/1", lost: false }],
  ["roadmap.report", { action: "user-login/build-A/1", lost: true, report: "Done" }],
  ["spec.validate", { fix: true }],
  ["trace.drift", { accept: true }],
])("rejects %s with %j", async (operation, input) => {
  const { status, text } = await call(operation, input);
  expect(status).toBe(400);
  expect((JSON.parse(text) as { error: { code: string } }).error.code).toBe("ui.closed");
});

test("the page needs at most 400 kB, compressed", async () => {
  const sizes = await Promise.all(
    ["/", "/page.js", "/page.css"].map(async (path) => {
      const { headers } = await request(path, { "accept-encoding": "br" });
      expect([path, headers["content-encoding"]]).toEqual([path, "br"]);
      return fs.statSync(`dist/page/${path === "/" ? "index.html" : path.slice(1)}.br`).size;
    }),
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(400_000);
});

test("takes no other workspace than its own", async () => {
  expect((await call("workspace.status", { workspace: "/" })).status).toBe(400);
});

test("describes exactly its routes as OpenAPI", async () => {
  const { text } = await request("/api/openapi.json", { cookie });
  const { paths } = JSON.parse(text) as { paths: Record<string, unknown> };
  const routes = await listApiRoutes();
  expect(Object.keys(paths).toSorted()).toEqual(routes.map(({ id }) => `/api/${id}`).toSorted());
  expect(text).not.toContain('"reseal"');
});

test("rejects a body over 1 MB and a body that is not an object", async () => {
  const large = call("workspace.status", { feature: "x".repeat(1_100_000) });
  // The server closes the connection before it has read everything, so the answer may be lost.
  expect([413, "closed"]).toContain(
    await large.then(
      ({ status }) => status,
      () => "closed",
    ),
  );
  expect((await request("/api/workspace.status", { ...JSON_TYPE, cookie, "x-tenon-csrf": csrf }, "[1]")).status).toBe(
    200,
  );
});

test("keeps answering while 1,000 streams are open", async () => {
  const { hostname, port } = new URL(served.origin);
  const agent = new http.Agent({ maxSockets: 1_000 });
  const opened = Array.from({ length: 1_000 }, () => {
    const stream = http.request({ hostname, port, path: "/api/events", headers: { cookie }, agent });
    const status = new Promise<number>((resolve) => {
      stream.on("response", (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      });
      stream.on("error", () => resolve(0));
    });
    stream.end();
    return { stream, status };
  });
  const statuses = await Promise.all(opened.map(({ status }) => status));
  expect(statuses.filter((status) => status === 200)).toHaveLength(64);
  expect(statuses.filter((status) => status === 503)).toHaveLength(936);
  expect((await call("workspace.status", {})).status).toBe(200);
  for (const { stream } of opened) stream.destroy();
  agent.destroy();
});

test("locks the login after twenty wrong secrets", async () => {
  const own = await servePage("secret");
  const logIn = (said: object) =>
    fetch(`${own.origin}/session`, { method: "POST", headers: JSON_TYPE, body: JSON.stringify(said) });
  for (let i = 0; i < 20; i++) expect((await logIn({ password: `guess ${i}` })).status).toBe(401);
  expect((await logIn({ password: "secret" })).status).toBe(401);
  await own[Symbol.asyncDispose]();
});

test.each([
  [["--host", "0.0.0.0"], "ui.unsafe-host"],
  [["--host", "0.0.0.0", "--cert", "c.pem", "--key", "k.pem"], "ui.unsafe-host"],
  [["--export", "sdd"], "export.folder-exists"],
])("tenon ui %j is a fault", async (words, code) => {
  const { err } = await served.run("ui", "--json", ...words);
  // Other notes may come first.
  const [last = ""] = err.trim().split("\n").slice(-1);
  expect((JSON.parse(last) as { error: { code: string } }).error.code).toBe(code);
});

test("a port in use is a fault that names the way on", async () => {
  const { err } = await served.run("ui", "--json", "--port", new URL(served.origin).port);
  expect(JSON.parse(err)).toMatchObject({ error: { code: "ui.port-taken", fix: ["tenon ui --port 0"] } });
});

const EVIL = `<img src=x onerror="window.taken=1"><script>window.taken=1</script><svg onload="window.taken=1">[x](javascript:window.taken=1)</script>`;

describe.skipIf(!hasBrowser)("in Chromium", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openChromium();
  });
  afterAll(() => browser.close());

  test("no text of a repository becomes code", async () => {
    await served.run("change", "start", "--type", "fix", "--size", "small", "--concurrent", EVIL);
    await served.run("feature", EVIL, "--id", "EVIL-001");
    await served.run(
      "adr",
      "record",
      "--title",
      EVIL,
      "--context",
      EVIL,
      "--decision",
      EVIL,
      "--rationale",
      EVIL,
      "--standalone",
    );
    await served.run("memory", "save", EVIL);
    fs.writeFileSync(
      join(served.root, "sdd/evil.md"),
      `# ${EVIL}\n\n${EVIL}\n\n<iframe src="https://example.org"></iframe>\n`,
    );
    fs.writeFileSync(join(served.root, "evil.js"), `// @spec AUTH-001 ${EVIL}\nexport const x = 1;\n`);
    git(served.root, "add", "-A");
    git(served.root, "commit", "-qm", EVIL);
    const context = await browser.newContext();
    const tab = await context.newPage();
    const foreign: string[] = [];
    tab.on("request", (each) => void (each.url().startsWith(served.origin) || foreign.push(each.url())));
    await tab.goto(served.origin);
    await tab.getByLabel("Password").fill("correct horse");
    await tab.getByRole("button", { name: "Open" }).click();
    for (const view of [
      "board",
      "trace",
      "trace/AUTH-001",
      "documents",
      "documents/sdd/evil.md",
      "memory",
      "gates",
      "approvals",
      "health",
    ]) {
      await tab.goto(`${served.origin}/#/${view}`);
      while ((await tab.getByText("Reading…").count()) > 0)
        await tab.getByText("Reading…").first().waitFor({ state: "detached" });
      expect({ view, taken: await tab.evaluate("window.taken ?? 0") }).toEqual({ view, taken: 0 });
    }
    // Shown as text, not left out.
    await tab.goto(`${served.origin}/#/board`);
    await tab.getByText("onerror").first().waitFor();
    expect(foreign.filter((url) => !url.startsWith("data:"))).toEqual([]);
    const folder = join(served.root, "evil-snapshot");
    await served.run("ui", "--export", folder);
    await tab.goto(`file://${folder}/index.html#/documents/sdd/evil.md`);
    await tab.getByRole("article", { name: "sdd/evil.md" }).waitFor();
    expect(await tab.evaluate("window.taken ?? 0")).toBe(0);
    await context.close();
  });

  test("another site can neither read nor call it with the user's cookie", async () => {
    const context = await browser.newContext();
    const tab = await context.newPage();
    await tab.goto(served.origin);
    await tab.getByLabel("Password").fill("correct horse");
    await tab.getByRole("button", { name: "Open" }).click();
    await tab.getByText("live", { exact: true }).waitFor();
    // The same machine under another name is another site.
    await tab.route("http://attacker.test/**", (route) =>
      route.fulfill({ contentType: "text/html", body: "<p>attack</p>" }),
    );
    await tab.goto("http://attacker.test/");
    const tryCall = `fetch("${served.origin}/api/workspace.status", {method: "POST", credentials: "include", headers: {"content-type": "application/json"}, body: "{}"}).then((a) => a.status, () => "blocked")`;
    const tryForm = `fetch("${served.origin}/api/workspace.status", {method: "POST", credentials: "include", mode: "no-cors", headers: {"content-type": "text/plain"}, body: "{}"}).then((a) => a.type, () => "blocked")`;
    expect(await tab.evaluate(tryCall)).toBe("blocked");
    // A call that the browser sends without reading its answer is refused by the server, as tested above.
    expect(["blocked", "opaque"]).toContain(await tab.evaluate(tryForm));
    const frame = `new Promise((r) => { const f = document.createElement("iframe"); f.src = "${served.origin}/"; f.onload = () => { try { r(f.contentDocument ? "readable" : "blocked") } catch { r("blocked") } }; document.body.append(f); })`;
    expect(await tab.evaluate(frame)).toBe("blocked");
    await context.close();
  });
});
