import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import fs from "node:fs";
import { expect, test } from "vitest";
import { findDriftProblems } from "#checking/operations/gate/static-checks.ts";
import { git } from "../kit/folder.ts";
import { featureSpec } from "../kit/specs.ts";
import { traceStand, type TraceStand } from "../trace/stand.ts";
import { listFailedChecks } from "../workflow/stand.ts";

const SHOP = `/** @spec SHOP-001 */
export function price(kilos: number): number {
  return kilos * 2;
}

/** @spec SHOP-001.AC-1 */
export const name = (): string => "shop";
`;
const RECORD = "sdd/trace/SHOP-001.json";
const CHANGED =
  "src/shop.ts#price was changed, and was accepted for SHOP-001: `tenon drift SHOP-001` shows it. Accept it with a reason, or update SHOP-001.";

interface Shop extends TraceStand {
  /** What the gate of a feature says that began now. */
  begin(): () => Promise<string[] | string>;
}

/** A shop whose code was accepted. */
async function shop(accepts = true): Promise<Shop> {
  const it = await traceStand({
    "src/shop.ts": SHOP,
    "sdd/specs/SHOP-001.yaml": featureSpec("SHOP-001").replace("status: draft", "status: done"),
  });
  if (accepts) {
    await it.accept("SHOP-001");
    it.commit("The shop");
  }
  return {
    ...it,
    begin() {
      const base = git(it.root, "rev-parse", "HEAD").trim();
      return async () => {
        const found = await findDriftProblems(it.engine, "AUTH-001", base);
        return typeof found === "string" ? found : found.map(({ problem }) => problem);
      };
    },
    [Symbol.dispose]: () => it[Symbol.dispose](),
  };
}

const dearer = (it: TraceStand): void => it.write("src/shop.ts", SHOP.replace("kilos * 2", "kilos * 3"));

test("requires an answer for work that changes accepted code of another requirement, and accepts its own code at the end", async () => {
  using it = await shop();
  await it.waive();
  it.commit("Settings");
  await it.run("workflow.feature", { description: "Log in", id: "AUTH-001" });
  it.fill("AUTH-001");
  for (const stage of ["discover", "specify"]) await it.advance("AUTH-001", { stage });
  it.build("AUTH-001");
  it.write("src/more.ts", "// @spec AUTH-001.AC-1\nexport const more = 1;\n");
  it.write("sdd/trace/AUTH-001.AC-1.json", "{");
  dearer(it);
  expect(listFailedChecks(await it.advance("AUTH-001", { stage: "implement" }))).toEqual([]);
  expect(listFailedChecks(await it.advance("AUTH-001"))).toEqual(["drift"]);
  await it.accept("SHOP-001");
  const { workflow, notes } = await it.advance("AUTH-001");
  expect([workflow?.status, notes]).toEqual([
    "completed",
    ["AUTH-001.AC-1 was not accepted with it: It is not valid JSON: the file is cut off or has merge marks."],
  ]);
  fs.rmSync(join(it.root, "sdd/trace/AUTH-001.AC-1.json"));
  const { symbols, reason, by } = JSON.parse(it.read("sdd/trace/AUTH-001.json")) as Record<string, unknown>;
  expect([symbols, reason, by]).toMatchObject([
    [{ ref: "login", path: "src/login.ts", role: "code" }],
    expect.stringMatching(/^Receipt AUTH-001\.R-\d+$/),
    "default",
  ]);
  expect(await it.spoken()).toEqual([]);
  it.write("src/login.ts", it.read("src/login.ts").replace("2", "3"));
  expect(await it.spoken()).toEqual(["high changed AUTH-001 src/login.ts#login"]);
}, 60_000);

test("counts a requirement that this work rewords as an answer", async () => {
  using it = await shop();
  const said = it.begin();
  dearer(it);
  expect(await said()).toEqual([CHANGED]);
  const spec = it.read("sdd/specs/SHOP-001.yaml");
  it.write("sdd/specs/SHOP-001.yaml", spec.replace("Account owners give", "Buyers pay three a kilo, and give"));
  expect(await said()).toEqual([]);
  git(it.root, "checkout", "-q", "--", "src");
  it.commit("Reworded");
  const later = it.begin();
  dearer(it);
  expect(await later()).toEqual([CHANGED]);
});

test("asks nothing where nothing was accepted or no accepted code changed", async () => {
  using bare = await shop(false);
  const nothing = bare.begin();
  dearer(bare);
  expect(await nothing()).toBe("nothing accepted");
  using it = await shop();
  const said = it.begin();
  it.write("src/shop.ts", `// Prices.\n${SHOP}export const more = 1;\n`);
  git(it.root, "mv", "src/shop.ts", "src/prices.ts");
  expect(await said()).toEqual([]);
  expect(await findDriftProblems(it.engine, "AUTH-001", undefined)).toBe("no base");
});

test("does not ask about drift from before the work", async () => {
  using it = await shop();
  dearer(it);
  it.commit("Dearer, and not accepted");
  const said = it.begin();
  it.write("src/shop.ts", `${it.read("src/shop.ts")}export const more = 1;\n`);
  expect(await said()).toEqual([]);
  it.write("src/shop.ts", SHOP.replace("kilos * 2", "kilos * 4"));
  expect(await said()).toEqual([CHANGED]);
});

test("trusts neither the index nor a missing or damaged record", async () => {
  using it = await shop();
  const said = it.begin();
  dearer(it);
  await it.drift();
  const { symbols } = JSON.parse(it.read(RECORD)) as { symbols: { hash: string }[] };
  const index = new DatabaseSync(join(it.root, ".sdd/index.db"));
  index.exec(`UPDATE components SET hash = '${symbols[0]?.hash ?? ""}' WHERE name = 'price'; DELETE FROM tags`);
  index.close();
  expect(await said()).toEqual([CHANGED]);
  const record = it.read(RECORD);
  fs.rmSync(join(it.root, RECORD));
  expect(await said()).toEqual([`${RECORD}: It was removed. Go back: git checkout -- ${RECORD}`]);
  it.write(RECORD, record.replace("Read and", "Not read and"));
  expect(await said()).toEqual([
    `${RECORD}: Its checksum does not match: it was edited by hand, or a merge joined two versions. Go back: git checkout -- ${RECORD}`,
  ]);
});
