import { expect, test } from "vitest";
import { connect, VERSIONS } from "../kit/client.ts";
import { temporaryRepository } from "../kit/folder.ts";
import { endStages } from "../kit/stages.ts";

test.each(VERSIONS)("takes a change from start to archive with a %s client", async (version) => {
  using repository = temporaryRepository();
  await using connection = await connect(version, { cwd: repository.path });
  const started = await connection.call("sdd_change", { type: "fix", size: "small", description: "Fix login" });
  expect(started.structuredContent).toMatchObject({ change: { id: "fix-login", current_stage: "describe" } });
  const passed = await endStages(
    connection,
    [
      "Login fails with an empty password.",
      "## Findings\n\nNothing else reads it.\n\n## Impact\n\nPatch.",
      "- [ ] TASK-001: Refuse an empty password",
      "## Evidence\n\nTASK-001: the test passes.",
    ],
    ({ structuredContent }) => (structuredContent as { passed: boolean }).passed,
  );
  expect(passed).toEqual([true, true, true, true]);
  const archived = await connection.call("sdd_change_archive");
  expect(archived.structuredContent).toMatchObject({ change: { status: "archived", path: "sdd/history/fix-login" } });
});
