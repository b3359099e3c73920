import { expect, test } from "vitest";
import { feature, group } from "../../../../test/kit/features.ts";
import { finding, Workshop } from "../../../../test/kit/lead.ts";
import type { ReportFacts } from "./lead-state.ts";

const FILES = ["src/cart.ts", "src/old.ts"];

const isDue =
  (id: string) =>
  (workshop: Workshop): boolean =>
    workshop.due().includes(id);

/** A feature whose group A has to be mended, since a review or the gate said no. */
function mending(because: "impl" | "dead-code" | "gate"): Workshop {
  const workshop = new Workshop().add(feature("cart"), feature("login")).begin();
  workshop.plans.set("cart", [group("A", FILES)]);
  const found = { verified: [finding({ severity: "C", location: "src/old.ts" })] };
  if (because === "gate") {
    workshop.finish(isDue("cart/gate/1"));
    workshop.report("cart/gate/1", { facts: { build: workshop.built("cart", "failed") } });
  } else if (because === "impl") {
    workshop.finish(isDue("cart/impl"));
    workshop.review("cart", "impl", found);
  } else {
    workshop.finish(isDue("wave-1/dead-code"));
    workshop.review("wave-1", "dead-code", found);
  }
  return workshop;
}

const GONE: NonNullable<ReportFacts["build"]> = {
  hash: "without",
  missing: ["src/old.ts"],
  outside: [],
  files: ["src/cart.ts"],
  tests: { status: "passed", problems: [] },
};

const says = (
  files: readonly string[],
): { kind: "builder"; tasks: []; files: readonly string[]; tests: null; tags: [] } => ({
  kind: "builder",
  tasks: [],
  files,
  tests: null,
  tags: [],
});

test.each(["impl", "dead-code"] as const)(
  "accepts the removal of a file that a review (%s) asks for, and the feature no longer owns it",
  (because) => {
    const workshop = mending(because);
    expect(workshop.due()).toContain("cart/build-A/2");
    const unsaid = workshop.reportAs("cart/build-A/2", says(["src/cart.ts"]), { build: GONE });
    expect(unsaid).toEqual(
      expect.objectContaining({
        kind: "refused",
        problems: [{ problem: "src/old.ts does not exist. Write it and report again." }],
      }),
    );
    expect(workshop.reportAs("cart/build-A/2", says(FILES), { build: GONE }).kind).toBe("applied");
    const { groups, files_created, files_removed } = workshop.feature("cart").implementation;
    expect([groups.map(({ files }) => files), files_created, files_removed]).toEqual([
      [["src/cart.ts"]],
      ["src/cart.ts"],
      ["src/old.ts"],
    ]);
    // The commit that is offered next is for what went, too; what was committed is told no more.
    workshop.finish(isDue("wave-1/commit"));
    workshop.reportAs("wave-1/commit", { kind: "commit", declined: true });
    expect(workshop.feature("cart").implementation.files_removed).toBeUndefined();
  },
);

test("does not accept the removal of a failing test as a fix", () => {
  const workshop = mending("gate");
  expect(workshop.reportAs("cart/build-A/2", says(FILES), { build: GONE })).toEqual(
    expect.objectContaining({ kind: "refused" }),
  );
});
