import { describe, expect, test } from "vitest";
import { Fault, ignoreFault } from "./fault.ts";
import { FAULT_MEANINGS } from "./fault-codes.ts";

const text = { what: "Nothing was done.", why: "It is late." };

test.each([
  ["advice", "Sleep.", ["Sleep."]],
  ["a call", { operation: "change.list" }, [{ operation: "change.list" }]],
  ["several", ["Sleep.", { operation: "change.list" }], ["Sleep.", { operation: "change.list" }]],
])("a fault has an event, a reason, and %s", (_, fix, fixes) => {
  const { name, code, message, what, why, fixes: listed } = new Fault("change.unknown", { ...text, fix });
  expect({ name, code, message, what, why, fixes: listed }).toEqual({
    ...text,
    name: "Fault",
    code: "change.unknown",
    message: "Nothing was done. It is late.",
    fixes,
  });
});

test("gives every code a module and a problem, and every meaning a sentence", () => {
  const odd = Object.entries(FAULT_MEANINGS).filter(
    ([code, meaning]) => !/^[a-z]+\.[a-z]+(?:-[a-z0-9]+)*$/.test(code) || !/^[A-Za-z].*\.$/.test(meaning),
  );
  expect(odd).toEqual([]);
});

describe("ignored faults", () => {
  const throwing = (code: "disk.full" | "files.unwritable" | "change.unknown") => () => {
    throw new Fault(code, { what: "It failed.", why: "So.", fix: "Repeat it." });
  };

  test("ignores a fault that is an answer", () => {
    expect(ignoreFault(throwing("change.unknown"))).toBeUndefined();
  });

  test.for(["disk.full", "files.unwritable"] as const)("passes %s on, because a file may exist", (code) => {
    expect(() => ignoreFault(throwing(code))).toThrow("It failed.");
  });

  test("passes defects on", () => {
    expect(() =>
      ignoreFault(() => {
        throw new TypeError("A defect");
      }),
    ).toThrow("A defect");
  });
});
