import { expect, test } from "vitest";
import { refusal } from "../kit/fault.ts";
import { runStand } from "./run-stand.ts";

const CONFIG = `run:
  agents:
    default: mine
  commands:
    mine: [mine, --headless]
worktree:
  setup: [sh, -c, "echo prepared > .env; echo '// prepared' >> src/other.mjs"]
`;
const OTHER = "export const other = 0;\n";

test("starts a command of the settings only after the user trusts it", async () => {
  using stand = await runStand({ groups: { "tide-model": ["A"] } }, { "src/other.mjs": OTHER, ".gitignore": ".env\n" });
  stand.write("sdd/config.yaml", `${stand.read("sdd/config.yaml")}${CONFIG}`);
  stand.commit("Name an agent");
  const refused = await refusal(stand.start({ agent: undefined }));
  expect(refused).toMatchObject({
    code: "run.not-ready",
    message: expect.stringContaining("names commands for agents or worktrees. The commands changed since you trusted"),
  });
  const shown = await stand.run("stack.trust", {});
  expect(shown["commands"]).toEqual(
    expect.arrayContaining([
      { state: "new", text: "agent mine $ mine --headless" },
      { state: "new", text: expect.stringContaining("worktree setup $ sh -c ") },
    ]),
  );
  await stand.trust();
  const { notices: _, ...output } = await stand.start({ agent: undefined });
  expect(output).toMatchObject({ complete: true, failed: [], waiting: [] });
  expect(new Set(stand.starts().map((line) => line.split(" ")[2]))).toEqual(new Set(["mine", expect.any(String)]));
  // The setup's edits are not the agent's, so they neither land nor count against it.
  expect(stand.read("src/other.mjs")).toBe(OTHER);
});

test("holds an action back whose worktree cannot be prepared, and names the command", async () => {
  using stand = await runStand({ groups: { "tide-model": ["A"] } });
  const setup = 'worktree:\n  setup: [sh, -c, "echo no network >&2; exit 3"]\n';
  stand.write("sdd/config.yaml", `${stand.read("sdd/config.yaml")}${setup}`);
  stand.commit("Prepare worktrees");
  await stand.trust();
  const { notices: _, ...output } = await stand.start();
  expect(output.waiting).toEqual([
    { action: "tide-model/architect/1", why: expect.stringMatching(/`sh -c .*` failed in .*: no network/) },
  ]);
});
