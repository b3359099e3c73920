import { expect, test } from "vitest";
import { refuseTrustCommand, refuseUserOnlyCommand } from "./trust-refusal.ts";

const HASH = "a".repeat(64);
const DATA = "/home/ann/.data";

test.each([
  `tenon trust --confirm ${HASH}`,
  `tenon trust --confirm=${HASH}`,
  "tenon trust --revoke",
  "tenon trust --pass TOKEN",
  "tenon trust --input yes.json",
  `tenon --workspace . trust --confirm ${HASH}`,
  `cd /repo && tenon trust --confirm ${HASH}; echo done`,
  `npx tenon trust --confirm ${HASH}`,
  `npx --yes tenon@0.1.0 trust --confirm ${HASH}`,
  `node ./node_modules/tenon/bin/tenon.js trust --confirm ${HASH}`,
  `/usr/local/bin/tenon trust \\\n  --confirm ${HASH}`,
  `TENON_HOME=/x tenon trust --confirm ${HASH}`,
  `bash -c "tenon trust --confirm ${HASH}"`,
  `te"n"on tr\\ust --con'firm' ${HASH}`,
  `echo "$(tenon trust --confirm ${HASH})"`,
  `T=tenon; $T trust --confirm ${HASH}`,
  "tenon trust $FLAGS",
  `tenon trust --confirm $(tenon trust --json | jq -r .token)`,
  'yes | script -qc "tenon trust" /dev/null',
  "expect -c 'spawn tenon trust; send y'",
  `tenon gate --trust ${HASH}`,
  `tenon workflow advance AUTH-001 --trust=${HASH}`,
  `T=tenon; $T gate --trust ${HASH}`,
  `tenon gate "--trust" ${HASH}`,
  `T=trust; tenon $T --confirm ${HASH}`,
  `echo --confirm ${HASH} | xargs tenon trust`,
  `xargs tenon trust < hash.txt`,
  `env -i PATH=$PATH tenon trust --confirm ${HASH}`,
  `printf 'tenon tru\\x73t --confirm ${HASH}' | bash`,
  `tenon $'tru\\x73t' --confirm ${HASH}`,
  `python3 -c "import subprocess; subprocess.run(['tenon','trust','--confirm','${HASH}'])"`,
  `node -e 'require("child_process").execSync("tenon tr"+"ust --confirm ${HASH}")'`,
  `python3 - <<'EOF'\nimport os\nos.system("tenon trust --confirm ${HASH}")\nEOF`,
  `bash <<EOF\ntenon trust --confirm ${HASH}\nEOF`,
  `bash <<< "tenon trust --confirm ${HASH}"`,
  `alias t=tenon; t trust --confirm ${HASH}`,
  `find . -maxdepth 0 -exec tenon trust --confirm ${HASH} \\;`,
  `git commit -m "$(tenon trust --confirm ${HASH})"`,
])("refuses %j", (command) => {
  expect(refuseTrustCommand({ command }, DATA)?.what).toBe("Blocked: this would trust commands of the repository.");
  expect(refuseTrustCommand({ cmd: ["bash", "-lc", command] }, DATA)?.what).toBeDefined();
});

test.each([`echo {} > ${DATA}/trust/x.json`, `rm -rf "${DATA}"/trust`, "cp x ~/.local/share/tenon/trust/y.json"])(
  "refuses %j, which edits trusted files",
  (command) => {
    expect(refuseTrustCommand({ command }, DATA)?.what).toBe("Blocked: this file holds the user's trust decisions.");
  },
);

test.each([
  "tenon trust",
  "tenon trust --json",
  "tenon trust --help",
  "tenon gate",
  "tenon status && npm test",
  "mise trust --all",
  `other trust --confirm ${HASH}`,
  "git log --grep trust",
  "pip install --trusted-host example.com x",
  "cat src/operations/stack/trust.ts",
  "cat docs/adr/0015-trust-covers-what-would-run.md",
  'git commit -m "Document tenon trust --confirm"',
  "git commit -m 'Explain `tenon trust --confirm` to users'",
  "rg 'tenon trust --confirm' docs",
  'grep -rn "tenon trust --revoke" .',
  `cat > docs/trust.md <<'EOF'\nRun:\n\n    tenon trust --confirm <hash>\nEOF`,
  `gh pr create --title Trust --body "Ask the user to run tenon trust --confirm"`,
  'echo "tenon trust --confirm <hash>" >> README.md',
  `python3 - <<'EOF'\nopen("docs/trust.md", "w").write("tenon trust --confirm <hash>")\nEOF`,
  "sed -i 's/tenon trust/tenon trust --confirm/' docs/trust.md",
])("allows %j", (command) => {
  expect(refuseTrustCommand({ command }, DATA)).toBeUndefined();
});

test("does not take text that a tool writes into a file for a command", () => {
  const input = {
    file_path: "README.md",
    content: `tenon trust --confirm ${HASH}`,
    new_string: "tenon trust --revoke",
  };
  expect(refuseTrustCommand(input, DATA)).toBeUndefined();
});

test.each([
  ['tenon review waive login B1 F1 --reason "Fine"', "Blocked: this would waive a review finding."],
  ["cd x && npx tenon --workspace . review waive all B1 F1 --reason y", "Blocked: this would waive a review finding."],
  ["T=tenon; $T review waive all B1 F1", "Blocked: this would waive a review finding."],
  ["tenon knowledge approve parsing", "Blocked: this would approve a skill."],
  [`bash -c "tenon knowledge 'approve' parsing"`, "Blocked: this would approve a skill."],
  ["tenon approve AUTH-001", "Blocked: this would approve in the user's place."],
  ["tenon --workspace . approve AUTH-001 --reject", "Blocked: this would approve in the user's place."],
  ["CLAUDECODE= script -qc 'tenon approve AUTH-001' /dev/null", "Blocked: this would approve in the user's place."],
  [
    "echo '{}' | npx tenon hook user-prompt-submit",
    "Blocked: this would report events to Tenon in the client's place.",
  ],
  [
    'tenon review waive user-login B1 F1 --reason "the page prints it with --help anyway"',
    "Blocked: this would waive a review finding.",
  ],
  ["W=waive; tenon review $W user-login B1 F1 --reason y", "Blocked: this would waive a review finding."],
  ["tenon setup --remove", "Blocked: this would remove Tenon's hooks and settings."],
  ["tenon roadmap delete --confirm RESET", "Blocked: this would delete the roadmap."],
  ["tenon setup agents", undefined],
  ['git commit -m "Tell about tenon setup --remove"', undefined],
  ["tenon approve --list", undefined],
  ["tenon approve", undefined],
  ["tenon workflow advance AUTH-001 --approve Ann", undefined],
  ["tenon report user-login/steering/1 --answer approve", undefined],
  ['git commit -m "Explain tenon approve AUTH-001"', undefined],
  ["rg tenon hook docs", undefined],
  ["tenon review waive --help", undefined],
  ["tenon review design login", undefined],
  ["tenon knowledge skills", undefined],
  ["other review waive all", undefined],
])("%j answers for the user: %s", (command, what) => {
  expect(refuseUserOnlyCommand({ command })?.what).toBe(what);
  expect(refuseUserOnlyCommand({ cmd: ["bash", "-lc", command] })?.what).toBe(what);
});
