import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/kit/folder.ts";
import { refusal } from "../../../test/kit/fault.ts";
import { withFileClaim } from "./file-claim.ts";

test("the second process waits for the first", async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "a.claim");
  const said: string[] = [];
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const first = withFileClaim(file, "a test", async () => {
    said.push("first begins");
    await isOver;
    said.push("first ends");
  });
  const second = withFileClaim(file, "a test", async () => void said.push("second begins"));
  said.push("both have asked");
  end();
  await Promise.all([first, second]);
  expect(said).toEqual(["both have asked", "first begins", "first ends", "second begins"]);
});

test("ends the claim after a failure too", async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "a.claim");
  const failing = withFileClaim(file, "a test", () => Promise.reject(new Error("No.")));
  await expect(failing).rejects.toThrow("No.");
  expect(await withFileClaim(file, "a test", async () => "done")).toBe("done");
});

test("does nothing where it cannot create a file", async () => {
  using folder = temporaryFolder();
  const call = withFileClaim(join(folder.path, "no/such/folder.claim"), "a test", async () => "done");
  expect((await refusal(call)).code).toBe("files.unwritable");
});

test("creates the ledger's folder in an empty repository", async () => {
  using folder = temporaryFolder();
  expect(await withFileClaim(join(folder.path, "tenon/a.claim"), "a test", async () => "done")).toBe("done");
});
