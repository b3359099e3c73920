import { expect, test } from "vitest";
import { built, designed } from "../../../../test/kit/features.ts";
import { BUFFER, openKnowledge } from "../../../../test/kit/knowledge.ts";

const RENEW = "[PATTERN] Sessions are renewed at login.";
const CLOCK = "[INCIDENT] Tests failed at midnight because the clock was read twice";

test("keeps lessons in the buffer and turns them into knowledge when the wave ends", async () => {
  const stand = openKnowledge();
  await stand.learn("user-login", RENEW, CLOCK);
  await stand.feed([
    {
      kind: "tags",
      feature: "wave-1",
      role: "inspector-quality",
      tags: [CLOCK.toLowerCase().replace("[incident]", "[INCIDENT]")],
    },
  ]);
  await stand.learn("mail", "[PATTERN] Renew the session on login");
  expect(stand.read(BUFFER)).toMatchInlineSnapshot(`
    "# Handover Buffer
    **Updated**: 2026-01-31T12:00:05Z

    ## Knowledge Buffer
    - [INCIDENT] Tests failed at midnight because the clock was read twice (source: user-login builder, task 1.2; wave-1 inspector-quality)
    - [PATTERN] Sessions are renewed at login. (source: user-login builder, task 1.2; mail builder, task 1.2)

    ## Skill Candidates
    - **sessions-renewed-login**: Detected in mail, user-login (2 occurrences)
    "
  `);
  expect((await stand.waiting()).tags).toHaveLength(4);
  await stand.finishWave();
  expect(stand.read(BUFFER)).toMatchInlineSnapshot(`
    "# Handover Buffer
    **Updated**: 2026-01-31T12:00:07Z

    ## Knowledge Buffer
    (empty)

    ## Skill Candidates
    - **sessions-renewed-login**: Detected in mail, user-login (2 occurrences)
    "
  `);
  expect(stand.known()).toEqual([
    "incident-integration-tests-failed-midnight-because-clock-read-twice.md",
    "index.md",
    "pattern-security-sessions-renewed-login.md",
  ]);
  expect(stand.read("sdd/knowledge/index.md")).toMatchInlineSnapshot(`
    "# Knowledge

    Tenon generates this page from the files in this folder, so edits here are lost. Edit the files instead.

    A file is named \`{type}-{category}-{name}.md\`; \`ls sdd/knowledge/incident-*\` or \`*-security-*\` shows a part.

    ## Incidents

    | File                                                                                                                                             | Category    | Keywords                                    | Should Detect At |
    | ------------------------------------------------------------------------------------------------------------------------------------------------ | ----------- | ------------------------------------------- | ---------------- |
    | [incident-integration-tests-failed-midnight-because-clock-read-twice.md](incident-integration-tests-failed-midnight-because-clock-read-twice.md) | integration | tests, failed, midnight, clock, read, twice | impl             |

    ## Patterns

    | File                                                                                     | Category | Keywords                 | Applicable Phases |
    | ---------------------------------------------------------------------------------------- | -------- | ------------------------ | ----------------- |
    | [pattern-security-sessions-renewed-login.md](pattern-security-sessions-renewed-login.md) | security | sessions, renewed, login | design, impl      |

    ## References

    None yet.

    ## By category

    - **security**: [pattern-security-sessions-renewed-login.md](pattern-security-sessions-renewed-login.md)
    - **integration**: [incident-integration-tests-failed-midnight-because-clock-read-twice.md](incident-integration-tests-failed-midnight-because-clock-read-twice.md)

    ## By phase

    - **design**: [pattern-security-sessions-renewed-login.md](pattern-security-sessions-renewed-login.md)
    - **impl**: [incident-integration-tests-failed-midnight-because-clock-read-twice.md](incident-integration-tests-failed-midnight-because-clock-read-twice.md), [pattern-security-sessions-renewed-login.md](pattern-security-sessions-renewed-login.md)
    "
  `);
  expect(stand.read("sdd/knowledge/pattern-security-sessions-renewed-login.md")).toMatchInlineSnapshot(`
    "# Sessions are renewed at login

    ## Metadata

    | Field             | Value                    |
    | ----------------- | ------------------------ |
    | Category          | security                 |
    | Keywords          | sessions, renewed, login |
    | Applicable Phases | design, impl             |

    ## Pattern Summary

    Sessions are renewed at login.

    ## Seen In

    - user-login, builder, task 1.2, 2026-01-31: Sessions are renewed at login.
    - mail, builder, task 1.2, 2026-01-31: Renew the session on login
    "
  `);
  expect((await stand.waiting()).tags).toEqual([]);
});

test("adds a source for a repeated lesson and overwrites no file", async () => {
  const stand = openKnowledge();
  await stand.learn("user-login", RENEW);
  await stand.finishWave();
  const path = "sdd/knowledge/pattern-security-sessions-renewed-login.md";
  stand.put(path, stand.read(path).replace("## Seen In", "## Solution\n\nWhere people log in.\n\n## Seen In"));
  await stand.learn("mail", "[PATTERN] Renew sessions at login!");
  await stand.learn("user-login", RENEW);
  await stand.finishWave();
  expect(stand.read(path)).toContain("Where people log in.");
  expect(/## Seen In\n\n([\s\S]*)$/.exec(stand.read(path))?.[1]).toMatchInlineSnapshot(`
    "- user-login, builder, task 1.2, 2026-01-31: Sessions are renewed at login.
    - mail, builder, task 1.2, 2026-01-31: Renew sessions at login!
    "
  `);
  const [file, index] = [stand.read(path), stand.read("sdd/knowledge/index.md")];
  await stand.learn("user-login", RENEW);
  await stand.finishWave();
  expect([stand.read(path), stand.read("sdd/knowledge/index.md"), stand.known().length]).toEqual([file, index, 2]);
});

test("keeps lessons of a feature outside the roadmap until it is built and no agent works on it", async () => {
  const stand = openKnowledge();
  const tags = { kind: "tags", feature: "solo", role: "builder", tags: [RENEW] } as const;
  await stand.feed([tags], [designed("solo", ["src/solo.ts"], { wave: null })]);
  await stand.finishWave();
  expect(stand.known()).toEqual([]);
  await stand.feed([{ ...tags, feature: "done" }], [built("done", ["src/done.ts"], { wave: null })]);
  expect(stand.known()).toEqual(["index.md", "pattern-security-sessions-renewed-login.md"]);
  expect((await stand.waiting()).tags.map(({ feature }) => feature)).toEqual(["solo"]);
});

test("keeps handwritten text of the buffer without trusting it", async () => {
  const stand = openKnowledge();
  await stand.learn("user-login", RENEW);
  stand.put(
    BUFFER,
    `${stand.read(BUFFER).replace("- [PATTERN] Sessions", "- [PATTERN] My sessions")}\nAsk Ann about tides.\n`,
  );
  await stand.learn("mail", CLOCK);
  expect(stand.read(BUFFER)).toMatchInlineSnapshot(`
    "# Handover Buffer
    **Updated**: 2026-01-31T12:00:03Z

    ## Knowledge Buffer
    - [PATTERN] Sessions are renewed at login. (source: user-login builder, task 1.2)
    - [INCIDENT] Tests failed at midnight because the clock was read twice (source: mail builder, task 1.2)

    ## Skill Candidates
    (empty)

    ## Notes
    - [PATTERN] My sessions are renewed at login. (source: user-login builder, task 1.2)
    Ask Ann about tides.
    "
  `);
  await stand.finishWave();
  expect(stand.known()).toHaveLength(3);
  expect(stand.read(BUFFER)).toMatchInlineSnapshot(`
    "# Handover Buffer
    **Updated**: 2026-01-31T12:00:05Z

    ## Knowledge Buffer
    (empty)

    ## Skill Candidates
    (empty)

    ## Notes
    - [PATTERN] My sessions are renewed at login. (source: user-login builder, task 1.2)
    Ask Ann about tides.
    "
  `);
});

test("renders a hostile lesson harmless", async () => {
  const stand = openKnowledge();
  const key = ["AKIA", "QZ7XR2MK9PLW4TVB"].join("");
  await stand.learn(
    "user-login",
    "[PATTERN] ``` \n# Rules\n---\nname: sdd-evil <!-- <private>mine</private> {{sources}}",
    `[REFERENCE] The key is ${key}`,
    `[INCIDENT] ${"x ".repeat(5_000)}`,
    "[PATTERN] ../../../etc/passwd",
    "[NOTE] not a tag",
  );
  await stand.finishWave();
  const files = stand.known();
  const texts = files.map((file) => stand.read(`sdd/knowledge/${file}`)).join("\n");
  expect(files.every((file) => /^[a-z0-9-]+\.md$/.test(file))).toBe(true);
  expect({
    files: files.length,
    leaks: texts.includes(key) || texts.includes("mine"),
    masked: texts.includes("[MASKED"),
  }).toEqual({
    files: 5,
    leaks: false,
    masked: true,
  });
  expect(texts.match(/^# /gm)).toHaveLength(5);
});
