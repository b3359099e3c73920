import fs from "node:fs";

const TUTORIAL = "docs/getting-started.md";
const STEP_MARK = /(<!-- tutorial: (.+?) -->\n)[\s\S]*?(<!-- end -->)/g;
const COMMAND_WITH_OUTPUT = /```sh\n(?:[\s\S]*?\n)??([^\n]+)\n```\n\n```text\n([\s\S]*?)```/;

/** Copies commands and their output from the tutorial, which a test follows. */
export function createReadmeFile(): Record<string, string> {
  const tutorial = fs.readFileSync(TUTORIAL, "utf8");
  const text = fs.readFileSync("README.md", "utf8");
  return {
    "README.md": text.replace(STEP_MARK, (_, open: string, heading: string, close: string) => {
      const [section = ""] = tutorial.split(`\n## ${heading}\n`)[1]?.split("\n## ") ?? [];
      const [, command, output] = COMMAND_WITH_OUTPUT.exec(section) ?? [];
      if (command === undefined) throw new Error(`${TUTORIAL} shows no command with output under "${heading}".`);
      return `${open}\n\`\`\`console\n$ ${command}\n${output}\`\`\`\n\n${close}`;
    }),
  };
}
