import fs from "node:fs";
import { dirname, join } from "node:path";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { toolsIn } from "#adapters/mcp/toolsets.ts";
import { createServer } from "#adapters/mcp/server.ts";
import { CHANGE_STAGES } from "#domain/change/flows.ts";
import { WRITTEN_STAGES } from "#domain/project/flow.ts";
import { WORKFLOW_KINDS, workflowFlow } from "#domain/workflow/flows.ts";
import { git, temporaryRepository } from "./kit/folder.ts";
import { type TestHouse, testHouse } from "./kit/house.ts";

/**
 * A transcript is a user's session: `$` runs the command line or git, `>` calls a tool, `<` writes a file from the `|` lines
 * below it. What was answered stands under each. `UPDATE=1` rewrites the answers; read them as product copy.
 */
const folder = new URL("transcripts/", import.meta.url);
const transcripts = fs.readdirSync(folder).filter((name) => name.endsWith(".txt"));

test.each(transcripts)("%s", async (name) => {
  const path = new URL(name, folder);
  const written = fs.readFileSync(path, "utf8");
  const replayed = await replay(written);
  if (process.env["UPDATE"]) fs.writeFileSync(path, replayed);
  expect(replayed).toBe(fs.readFileSync(path, "utf8"));
});

async function replay(transcript: string): Promise<string> {
  using repository = temporaryRepository();
  // Memory calls the project by its remote; the folder has another name each time.
  git(repository.path, "remote", "add", "origin", "https://example.com/acme/shop.git");
  using house = testHouse(repository.path);
  const client = await connect(house);
  const blocks: string[] = [];
  for (const block of blocksOf(transcript)) {
    const [head = ""] = block;
    if (head.startsWith("$ "))
      blocks.push(
        `${head}\n${neat(await shell(house, head.replaceAll("<root>", repository.path), repository.path), repository.path)}`.trimEnd(),
      );
    else if (head.startsWith("> ")) blocks.push(`${head}\n${neat(await tool(client, head), repository.path)}`);
    else {
      if (head.startsWith("< ")) writeFile(join(repository.path, head.slice(2)), block.slice(1));
      blocks.push(block.join("\n"));
    }
  }
  await client.close();
  return `${blocks.join("\n\n")}\n`;
}

/** A quotation in an answer begins with `>` too. */
const CALL = /^(?:\$ |> (?:sdd|mem)_\w+(?: \{.*)?$)/;

/** Comments, files and commands; an answer belongs to the command above it and is left out. */
function blocksOf(transcript: string): string[][] {
  const blocks: string[][] = [];
  let isAnswer = false;
  for (const line of transcript.split("\n")) {
    if (CALL.test(line)) {
      blocks.push([line]);
      isAnswer = true;
    } else if (/^[#<] /.test(line)) {
      const isMore = line.startsWith("# ") && !isAnswer && blocks.at(-1)?.at(-1)?.startsWith("# ");
      if (isMore) blocks.at(-1)?.push(line);
      else blocks.push([line]);
      isAnswer = false;
    } else if (line.startsWith("|") && blocks.at(-1)?.[0]?.startsWith("< ")) {
      blocks.at(-1)?.push(line);
    }
  }
  return blocks;
}

async function shell(house: TestHouse, head: string, root: string): Promise<string> {
  const words = [...head.slice(2).matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(
    ([, quoted, bare]) => quoted?.replaceAll("\\n", "\n") ?? bare ?? "",
  );
  const program = words.shift();
  // What a person does beside Tenon: it is done, and its answer is git's own affair.
  if (program === "git") return (git(root, ...words), "");
  expect(program).toBe("tenon");
  const { code, out, err } = await house.run(...words);
  return [out.trimEnd(), err.trimEnd(), code === 0 ? "" : `[exit ${code}]`].filter((part) => part !== "").join("\n");
}

async function tool(client: Client, head: string): Promise<string> {
  const [, name = "", input = "{}"] = /^> (\S+)(?: (.*))?$/.exec(head) ?? [];
  const result = await client.callTool({ name, arguments: JSON.parse(input) as Record<string, unknown> });
  const text = result.content.map((part) => (part.type === "text" ? part.text : part.type)).join("\n");
  const fault = result._meta?.["tenon/fault"] as { code: string } | undefined;
  return result.isError ? `${text}\n[error ${fault?.code}]` : text;
}

async function connect({ house }: TestHouse): Promise<Client> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const server = await createServer(house.mcpHouse(), async () => toolsIn(["all"]), house.surface);
  const client = new Client({ name: "transcript", version: "1.0.0" });
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  return client;
}

function writeFile(path: string, lines: readonly string[]): void {
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, `${lines.map((line) => line.replace(/^\| ?/, "")).join("\n")}\n`);
}

/** Guides have their own tests; folders, versions of what is installed and what was measured are others elsewhere. */
function neat(answer: string, root: string): string {
  let text = answer
    .replaceAll(root, "<root>")
    .replace(/\bsince [0-9a-f]{12}\b/g, "since <commit>")
    .replace(/(confirm"?(?::"| ))[0-9a-f]{16}/g, "$1<token>")
    .replace(/\(\d+ KB\)/g, "(<size>)")
    .replace(/(?<=state writes: .*)\b\d+(?:\.\d)? ms\b/g, "<time>")
    .replace(/\d+ bytes is in/g, "<size> bytes is in")
    .replace(/^(node|sqlite|git)\tok\t.*$/gm, "$1\tok\t<version>");
  const guides = [
    ...CHANGE_STAGES.map((stage) => [stage, `change/${stage}`]),
    ...WRITTEN_STAGES.map((stage) => [stage, `project/${stage}`]),
    ...WORKFLOW_KINDS.flatMap((kind) =>
      workflowFlow(kind).stages.map(({ name }) => [name, `workflow/${kind}/${name}`]),
    ),
  ];
  for (const [stage, path] of guides) {
    text = text.replaceAll(fs.readFileSync(`assets/guides/${path}.md`, "utf8").trimEnd(), `(the guide of ${stage})`);
  }
  return text.replaceAll(fs.readFileSync("assets/guides/connect.md", "utf8").trimEnd(), "(how to connect a client)");
}
