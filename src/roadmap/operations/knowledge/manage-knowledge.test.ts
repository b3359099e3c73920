import fc from "fast-check";
import { expect, test } from "vitest";
import { Fault } from "#kernel/model/fault.ts";
import { parsePlainYaml } from "#kernel/model/plain-yaml.ts";
import { BUFFER, type KnowledgeWorkspace, openKnowledge } from "../../../../test/kit/knowledge.ts";

const RENEW = "[PATTERN] Sessions are renewed at login.";
const FILE = "sdd/knowledge/pattern-security-sessions-renewed-login.md";

async function codeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.code;
  }
}

const idOf = async (stand: KnowledgeWorkspace): Promise<string> =>
  (await stand.manage({ action: "review" })).waiting[0]?.id ?? "";

/** Two features that learned one thing. */
async function shared(): Promise<KnowledgeWorkspace> {
  const stand = openKnowledge();
  await stand.learn("user-login", RENEW);
  await stand.learn("mail", "[PATTERN] Renew sessions at login");
  return stand;
}

test("writes knowledge from its template, and never over an existing file", async () => {
  const stand = openKnowledge();
  const wanted = { action: "add", type: "incident", text: "The queue lost events on retry.", why: "Nobody waited." };
  const { written, notes } = await stand.manage({ ...wanted, name: "Lost Events", phases: ["design"] });
  expect([written, notes]).toEqual([
    ["sdd/knowledge/incident-async-lost-events.md"],
    ["Category async, chosen by its words."],
  ]);
  const text = stand.read("sdd/knowledge/incident-async-lost-events.md");
  expect(text).toMatch(
    /\| Should Detect At \| design {21}\|[\s\S]*The queue lost events on retry\.[\s\S]*### What Happened\n\nNobody waited\./,
  );
  expect(stand.read("sdd/knowledge/index.md")).toContain("incident-async-lost-events.md");
  expect(await codeOf(stand.manage({ ...wanted, name: "LOST-events" }))).toBe("knowledge.exists");
  expect(stand.read("sdd/knowledge/incident-async-lost-events.md")).toBe(text);
  const other = await stand.manage({ ...wanted, category: "state" });
  expect(other.notes).toEqual(["sdd/knowledge/incident-async-lost-events.md has a similar text."]);
});

test("keeps the source of a reference", async () => {
  const stand = openKnowledge();
  const why = "https://example.com/a|b";
  await stand.manage({
    action: "add",
    type: "reference",
    category: "api",
    name: "codes",
    text: "401 is for who nobody knows.",
    why,
  });
  const text = stand.read("sdd/knowledge/reference-api-codes.md");
  expect(text).toContain("| Source            | https://example.com/a\\|b |");
  expect(text).toContain("## Sources\n\n- https://example.com/a|b\n");
  const { text: shown, done } = await stand.manage({ action: "show", name: "codes" });
  expect([shown, done]).toEqual([text, "sdd/knowledge/reference-api-codes.md"]);
});

test.each([
  [{ action: "add", type: "pattern" }, "input.missing"],
  [{ action: "add", text: "x y" }, "input.missing"],
  [{ action: "add", type: "pattern", text: "```\nopen" }, "knowledge.bad-text"],
  [{ action: "add", type: "pattern", text: "## Seen In\n\n- me" }, "knowledge.bad-text"],
  [{ action: "add", type: "pattern", text: "Fine", why: "<!-- open" }, "knowledge.bad-text"],
  [{ action: "add", type: "pattern", text: "Fine", answer: "accept" }, "input.invalid"],
  [{ action: "list", text: "x" }, "input.invalid"],
  [{ action: "show" }, "input.missing"],
  [{ action: "show", name: "nothing" }, "knowledge.unknown"],
  [{ action: "show", name: "../../config" }, "knowledge.unknown"],
  [{ action: "review", name: "abc" }, "input.missing"],
  [{ action: "review", name: "abc", answer: "accept" }, "knowledge.unknown"],
  [{ action: "review", name: "abc", answer: "edit" }, "input.missing"],
  [{ action: "skills", name: "abc", answer: "reject" }, "knowledge.unknown"],
  [{ action: "skills", name: "abc", answer: "accept" }, "knowledge.users-alone"],
])("rejects %j and writes nothing", async (input, code) => {
  const stand = openKnowledge();
  expect([await codeOf(stand.manage(input)), stand.known()]).toEqual([code, []]);
});

test("reports that there is nothing to review", async () => {
  const stand = openKnowledge();
  const said = async (...words: string[]): Promise<string> => (await stand.cli("knowledge", ...words)).out.trim();
  expect([await said(), await said("review"), await said("skills")]).toEqual([
    "No knowledge yet; 0 waiting, 0 candidates for a skill.",
    "No auto-accumulated knowledge to review.",
    "No Skill candidates detected yet.",
  ]);
});

test("accepts a pending lesson unchanged", async () => {
  const stand = await shared();
  const { done, written, waiting } = await stand.manage({
    action: "review",
    name: await idOf(stand),
    answer: "accept",
  });
  expect([done, written, waiting]).toEqual([expect.stringMatching(/^Kept: /), [FILE], []]);
  expect(stand.read(BUFFER)).toContain("## Knowledge Buffer\n(empty)\n");
  await stand.learn("user-login", RENEW);
  const again = await stand.manage({ action: "review", name: await idOf(stand), answer: "accept" });
  expect([again.written, again.notes]).toEqual([[], [`${FILE} has it already.`]]);
});

test("a reworded lesson keeps its author and replaces its text", async () => {
  const stand = await shared();
  const input = { action: "review", name: await idOf(stand), answer: "edit", text: "Tokens rotate at each login." };
  const { written } = await stand.manage({ ...input, category: "state" });
  expect(written).toEqual(["sdd/knowledge/pattern-state-tokens-rotate-each-login.md"]);
  expect(/## Seen In\n\n([\s\S]*)$/.exec(stand.read(written[0] ?? ""))?.[1]).toBe(
    "- user-login, builder, task 1.2, 2026-01-31\n- mail, builder, task 1.2, 2026-01-31\n",
  );
});

test("does not accept the answer reject for a lesson", async () => {
  const stand = await shared();
  const name = await idOf(stand);
  expect(await codeOf(stand.manage({ action: "review", name, answer: "reject" }))).toBe("input.invalid");
  expect([stand.known(), (await stand.manage({ action: "review" })).waiting.length]).toEqual([[], 1]);
});

test("discards a lesson from all files and keeps its text in the ledger", async () => {
  const stand = await shared();
  const { done, waiting } = await stand.manage({ action: "review", name: await idOf(stand), answer: "discard" });
  expect([done, waiting, stand.known()]).toEqual([expect.stringMatching(/^Discarded: 2 tags of /), [], []]);
  const events = await stand.engine.store.events(0);
  expect(events.find(({ kind }) => kind === "knowledge.discarded")?.data?.["tags"]).toHaveLength(2);
});

test("turns a pattern of two features into a skill after the user's approval", async () => {
  const stand = await shared();
  stand.put(".claude/settings.json", "{}\n");
  const { candidates } = await stand.manage({ action: "skills" });
  expect(candidates).toEqual([
    {
      name: "sessions-renewed-login",
      text: "Sessions are renewed at login.",
      features: ["mail", "user-login"],
      occurrences: 2,
      file: "pattern-security-sessions-renewed-login.md",
    },
  ]);
  const { written, text } = await stand.approve({ candidate: "sessions-renewed-login" });
  expect(written).toEqual([".claude/skills/sessions-renewed-login/SKILL.md", FILE]);
  expect(stand.read(written[0] ?? "")).toBe(text);
  const head = parsePlainYaml(/^---\n([\s\S]*?)\n---\n/.exec(text)?.[1] ?? "");
  expect(head).toEqual({ value: { name: "sessions-renewed-login", description: "Sessions are renewed at login." } });
  expect((await stand.manage({ action: "skills" })).candidates).toEqual([]);
  expect((await stand.waiting()).tags).toEqual([]);
  expect(stand.read(FILE)).toContain("| Skill | approved as sessions-renewed-login by ada, typed in a terminal |");
});

test.each([
  [[], [".agents"]],
  [[".agents"], [".agents"]],
  [
    [".claude", ".agents"],
    [".claude", ".agents"],
  ],
])("where %j exist, writes a skill to %j", async (present, clients) => {
  const stand = await shared();
  for (const client of present) stand.put(`${client}/x.md`, "");
  const { written } = await stand.approve({
    candidate: "sessions-renewed-login",
    name: "renewing",
    description: "Use it.",
  });
  expect(written.slice(0, -1)).toEqual(clients.map((client) => `${client}/skills/renewing/SKILL.md`));
});

test("requires an own name for a skill and overwrites none", async () => {
  const stand = await shared();
  stand.put(".agents/skills/Renewing/SKILL.md", "Mine.\n");
  const approve = (more: object): Promise<unknown> =>
    codeOf(stand.approve({ candidate: "sessions-renewed-login", ...more }));
  expect(await approve({ name: "sdd-renewing" })).toBe("knowledge.bad-skill-name");
  expect(await approve({ name: "../renewing" })).toBe("knowledge.bad-skill-name");
  expect(await approve({ name: "renewing" })).toBe("knowledge.exists");
  const again = { operation: "knowledge.approve", input: { candidate: "sessions-renewed-login", name: "renewing-2" } };
  await expect(stand.approve({ candidate: "sessions-renewed-login", name: "renewing" })).rejects.toMatchObject({
    fixes: [again],
  });
  expect(await codeOf(stand.approve({ candidate: "another" }))).toBe("knowledge.unknown");
  expect([stand.read(".agents/skills/Renewing/SKILL.md"), stand.known()]).toEqual(["Mine.\n", []]);
});

test("remembers a rejected skill when more features share its pattern", async () => {
  const stand = await shared();
  await stand.manage({ action: "skills", name: "sessions-renewed-login", answer: "reject", why: "Too plain" });
  await stand.learn("orders", RENEW);
  await stand.finishWave();
  expect((await stand.manage({ action: "skills" })).candidates).toEqual([]);
  expect(stand.read(FILE)).toContain("| Skill | rejected: Too plain |");
  expect(stand.read(FILE)).toContain("- orders, builder");
});

const said = fc.constantFrom(
  "Sessions are renewed at login",
  "Renew the session on login",
  "Never renew sessions at login",
  "One clock for all",
  "``` # x <!-- y",
  "Parse at the edge of a",
  "Parse at the edge of b",
  "- [ ] | x |",
  "x".repeat(900),
);
const step = fc.oneof(
  fc.record({
    kind: fc.constant("learn"),
    feature: fc.constantFrom("a", "b", "wave-1"),
    said,
    type: fc.constantFrom("PATTERN", "INCIDENT"),
  }),
  fc.record({ kind: fc.constantFrom("flush", "accept", "discard") }),
);

test("keeps each lesson from report to file, unless the user discards it", { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      const stand = openKnowledge();
      const told = new Set<string>();
      const gone = new Set<string>();
      for (const each of steps) {
        if ("said" in each) {
          await stand.learn(each.feature, `[${each.type}] ${each.said}`);
          told.add(`[${each.type}] ${each.said}`);
        } else if (each.kind === "flush") await stand.finishWave();
        else {
          const [entry] = (await stand.manage({ action: "review" })).waiting;
          if (!entry) continue;
          const { tags } = await stand.waiting();
          await stand.manage({ action: "review", name: entry.id, answer: each.kind });
          const left = (await stand.waiting()).tags.map(({ tag }) => tag);
          if (each.kind === "discard") for (const { tag } of tags) if (!left.includes(tag)) gone.add(tag);
        }
      }
      const left = (await stand.waiting()).tags.map(({ tag }) => tag);
      const files = stand.known().filter((file) => file !== "index.md");
      const texts = files.map((file) => ({
        type: file.split("-")[0]?.toUpperCase(),
        text: stand.read(`sdd/knowledge/${file}`),
      }));
      const isKept = (tag: string): boolean =>
        texts.some(({ type, text }) => {
          const words = tag.replace(/^\[\w+\] /, "");
          return (
            tag.startsWith(`[${type}]`) &&
            text
              .replaceAll("&lt;", "<")
              .split("\n")
              .some((line) => line.endsWith(`: ${words}`))
          );
        });
      expect([...told].filter((tag) => !left.includes(tag) && !gone.has(tag) && !isKept(tag))).toEqual([]);
    }),
    { numRuns: 12 },
  );
});
