import { expect, test } from "vitest";
import { describeShellWrite, listShellWrittenPaths, movesFiles } from "./tool-writes.ts";

test.each([
  ["echo x > src/a.ts", "> src/a.ts writes"],
  ["echo x >>notes.md", "> notes.md writes"],
  ["npm test 2>err.txt", "> err.txt writes"],
  ["npm test &> out.txt", "> out.txt writes"],
  ["cat <<'EOF' > src/a.ts\nif (a > b) rm()\nEOF", "> src/a.ts writes"],
  ["rm -rf src", "rm src writes"],
  ["cd src && rm a.ts", "rm a.ts writes"],
  ["sudo /bin/mv a.ts b.ts", "mv a.ts writes"],
  ["echo x\nrm a.ts", "rm a.ts writes"],
  ["rm \\\n  a.ts", "rm a.ts writes"],
  ["FORCE=1 touch a", "touch a writes"],
  ["grep -l x -r . | xargs sed -i s/x/y/", "sed -i writes"],
  ["perl -pi -e s/x/y/ a.ts", "perl -pi writes"],
  ["cp /tmp/a src/a.ts", "cp src/a.ts writes"],
  ["ls | tee list.txt", "tee list.txt writes"],
  ["git commit -m 'x'", "git commit writes"],
  ["git -C . checkout -- src", "git checkout writes"],
  ["git stash", "git stash writes"],
  ["npx eslint --fix src", "npx --fix writes"],
  ["prettier --write .", "prettier --write writes"],
  ["if true; then rm a; fi", "rm a writes"],
  ['echo "$(rm a)"', undefined],
  ['bash -c "rm src/a.ts"', "rm src/a.ts writes"],
  ["sudo sh -ec 'echo x > src/a.ts'", "> src/a.ts writes"],
  ["bash -c \"sh -c 'rm a'\"", "rm a writes"],
  ["eval 'rm a'", "rm a writes"],
  ["timeout -k 1 5s rm a", "rm a writes"],
  ["! rm a", "rm a writes"],
  ["if rm a; then echo; fi", "rm a writes"],
  ["unlink a", "unlink a writes"],
  ["find . -name x -delete", "find -delete writes"],
  ["find . -name x -exec rm {} +", "find -exec rm writes"],
  ["echo x > /tmp/../repo/a.ts", "> /tmp/../repo/a.ts writes"],
  ["echo x > /development/a.ts", "> /development/a.ts writes"],
  ["rm /tmpfiles/a.ts", "rm /tmpfiles/a.ts writes"],
])("%j: %s", (command, found) => {
  expect(describeShellWrite({ command })).toBe(found);
});

test("reads a line in a list of words", () => {
  expect(describeShellWrite({ command: ["bash", "-lc", "rm src/a.ts"] })).toBe("rm src/a.ts writes");
});

test("finds a repository below an ignored folder", () => {
  expect(describeShellWrite({ command: "rm /tmp/repo/a.ts" }, "/tmp/repo")).toBe("rm /tmp/repo/a.ts writes");
  expect(describeShellWrite({ command: "rm /tmp/repository/a.ts" }, "/tmp/repo")).toBeUndefined();
});

test.each([
  ["echo x > a.test.ts", ["a.test.ts"]],
  ["cd test && rm a.ts ../b.ts", ["a.ts", "test/a.ts", "../b.ts", "test/../b.ts"]],
  ["sed -i s/test/x/ a.ts b.ts", ["a.ts", "b.ts"]],
  ["sed -i -e s/test/x/ a.ts", ["a.ts"]],
  ["perl -pi -e s/test/x/ a.ts", ["a.ts"]],
  ["bash -c 'cp x a.test.ts'", ["a.test.ts"]],
  ["dd if=/dev/zero of=a.test.ts", ["a.test.ts"]],
  ["npm test; git commit -am x", []],
])("finds in %j: %j", (command, paths) => {
  expect(listShellWrittenPaths({ command })).toEqual(paths);
});

test.each([
  "npm test",
  "bash -c \"grep -n 'a > b' src\"",
  "bash -lc 'npm test > /tmp/out.txt'",
  "find . -name '*.ts' -exec grep -l x {} +",
  "timeout 60 npm test",
  "rm /var/folders/x/a",
  "npm test 2>&1 | tail -20",
  "npm test > /dev/null 2>&1",
  "npx vitest run >/tmp/out.txt",
  "cat > /tmp/find.py <<'EOF'\nif a > b:\n    rm = 1\nEOF\npython3 /tmp/find.py",
  "mkdir -p /tmp/scratch && cp src/a.ts /tmp/scratch/",
  'grep -rn "a > b" src',
  "grep -E '(rm|mv) x' src",
  'grep -rn "rm -rf" scripts; git log --oneline',
  "git diff HEAD~1 -- src",
  "git stash list",
  "git apply --check x.patch",
  "git show HEAD:src/a.ts",
  "sed -n 1,20p src/a.ts",
  "node -e 'console.log(1 > 2)'",
  "find . -name '*.ts' | xargs grep -c import",
  "awk '$1 > 3' data.txt",
  "",
])("%j only reads", (command) => {
  expect(describeShellWrite({ command })).toBeUndefined();
});

test("reads a line with an open quote in a short time", () => {
  const hostile = ["'", '"', "<<A\n", "$(", "> "].map((mark) => mark.repeat(20_000));
  expect(hostile.map((command) => typeof describeShellWrite({ command }))).toHaveLength(5);
});

test.each([
  ["git stash && npm test && git stash pop", true],
  ["git -C shop -c a.b=c --no-pager pull --rebase", true],
  [["bash", "-lc", "git rebase main"], true],
  ["git checkout main", true],
  ["git checkout -b topic origin/main", true],
  ["git checkout -b topic && npm run build", false],
  ["git switch -c topic", false],
  ["git checkout HEAD -- src/a.ts", false],
  ["git commit -qam 'Reset the merge'", false],
  ["git status; npm test", false],
])("knows whether git writes files of any author: %j %s", (command, moves) => {
  expect(movesFiles({ command })).toBe(moves);
});
