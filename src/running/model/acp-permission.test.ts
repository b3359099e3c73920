import { expect, test } from "vitest";
import { listPermissionCalls } from "./acp-permission.ts";

const edit = (file_path: string) => ({ tool: "Edit", input: { file_path } });

test.each([
  [
    "the files that it names",
    { kind: "edit", locations: [{ path: "/a" }, { path: "/a" }, { path: "/b" }] },
    ["/a", "/b"],
  ],
  ["the files of its differences", { kind: "other", content: [{ type: "diff", path: "/a", newText: "" }] }, ["/a"]],
  ["files of a kind that is not known", { kind: "patch", locations: [{ path: "/a" }] }, ["/a"]],
  ["files of a call without a kind", { locations: [{ path: "/a" }] }, ["/a"]],
  ["a difference even in a call that reads", { kind: "read", content: [{ type: "diff", path: "/a" }] }, ["/a"]],
  ["no file that is only read", { kind: "read", locations: [{ path: "/a" }] }, []],
  ["nothing of another form", { kind: "edit", locations: "/a", content: [7, { type: "diff" }] }, []],
])("judges %s", (_, call, paths) => {
  expect(listPermissionCalls(call).slice(1)).toEqual(paths.map(edit));
});

test("judges a command by its input, or by its title", () => {
  const call = { kind: "execute", title: "rm sdd/sdd.json", locations: [{ path: "/a" }] };
  expect(listPermissionCalls(call)).toEqual([{ tool: call.title, input: { command: "rm sdd/sdd.json" } }]);
  const input = { command: ["sh", "-c", "ls"] };
  expect(listPermissionCalls({ ...call, rawInput: input })).toEqual([{ tool: call.title, input }]);
});

test("judges a tool by its own name and input as well", () => {
  const rawInput = { file_path: "/a" };
  expect(listPermissionCalls({ title: "Write", kind: "other", rawInput })).toEqual([
    { tool: "Write", input: rawInput },
  ]);
});
