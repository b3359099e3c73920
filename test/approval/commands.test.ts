import { expect, test } from "vitest";
import { openStand } from "./stand.ts";

const PACKAGE = '{ "name": "shop", "scripts": { "test": "node --test" } }\n';

test("a pipeline can confirm trust, and the output shows that no person did", () => {
  using it = openStand();
  it.write("package.json", PACKAGE);
  const { hash } = JSON.parse(it.must("trust", "--json")) as { hash: string };
  const mark = "No person confirmed the trust in a terminal";
  expect(it.must("trust", "--confirm", hash)).toContain(mark);
  expect(it.must("trust")).toContain(mark);
  expect(it.run("doctor").out.replace(/\s+/g, " ")).toContain(mark);
  expect(JSON.parse(it.must("trust", "--json"))).toMatchObject({ state: "trusted", proof: "unattended" });
});

test("a shell of an agent cannot confirm trust", () => {
  using it = openStand({ CLAUDECODE: "1" });
  it.write("package.json", PACKAGE);
  const { hash } = JSON.parse(it.must("trust", "--json")) as { hash: string };
  const { code, err } = it.run("trust", "--confirm", hash);
  expect([code, err]).toEqual([1, expect.stringContaining("Type it in your own terminal: tenon trust")]);
  expect(JSON.parse(it.must("trust", "--json"))).toMatchObject({ state: "untrusted" });
});

test.each([
  [["review", "waive", "user-login", "B1", "F1", "--reason", "It's fine"], "tenon review waive user-login B1 F1"],
  [["knowledge", "approve", "utc"], "tenon knowledge approve utc"],
])("%j without a terminal names the command for the user's own terminal", (words, command) => {
  using it = openStand();
  const { code, err } = it.run(...words);
  expect([code, err.replace(/\s+/g, " ")]).toEqual([1, expect.stringContaining(`in your own terminal: ${command}`)]);
});

/** A change whose record was edited by hand in a way that the rules allow. */
function prepareEdit() {
  const stand = openStand();
  stand.must("change", "start", "Fix the login", "--type", "fix", "--size", "small");
  const path = "sdd/changes/fix-the-login/change.json";
  stand.write(path, stand.read(path).replace("Fix the login", "Fix the log-in"));
  return { ...stand, path };
}

test("a client with forms shows the edit of a record before accepting it", async () => {
  using it = prepareEdit();
  const shown: string[] = [];
  await using session = await it.connect((message) => {
    shown.push(message);
    return { action: "accept", content: { answer: shown.length === 1 ? "reject" : "approve" } };
  });
  const refused = await session.call("sdd_doctor", { reseal: it.path });
  expect([refused.isError, refused.content]).toMatchObject([
    true,
    [{ text: expect.stringContaining("did not approve") as string }],
  ]);
  expect(shown[0]).toContain(`${it.path} was edited by hand. Do you accept it as it is now?`);
  it.write(it.path, it.read(it.path).replace("log-in", "sign-in"));
  const { structuredContent } = await session.call("sdd_doctor", { reseal: it.path });
  expect(structuredContent).toMatchObject({ resealed: it.path });
  expect(it.answers("records")).toMatchObject([{ id: it.path, area: "record", stage: "reseal", proof: "elicited" }]);
});

test("marks an edit that an agent accepts for the user, and strict ci fails on it", () => {
  using it = prepareEdit();
  expect(it.run("doctor", "--reseal", it.path).out).toContain(`${it.path} is accepted`);
  expect(it.answers("records")).toMatchObject([{ id: it.path, proof: "relayed" }]);
  const mark = `${it.path}: the answer "approve" to reseal by ada is unproved: an agent reported it.`;
  expect(it.ci()).toMatchObject({ mild: [{ level: "warning", problem: mark }], strict: [{ level: "error" }], code: 1 });
});
