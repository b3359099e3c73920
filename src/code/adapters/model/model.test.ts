import fs from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ModelAnswer, ModelChoice } from "../../operations/ports/model.ts";
import type { CommandRunner } from "#kernel/operations/ports/runner.ts";
import { createProcessRunner } from "#checking/adapters/runner/process-runner.ts";
import { createScratchFolder } from "#checking/adapters/runner/scratch-folder.ts";
import { temporaryFolder } from "../../../../test/kit/folder.ts";
import { createModelFromChoice } from "./llm-model.ts";

const KEY = "sk-test-0123456789abcdefghijklmnop";
const never = new AbortController().signal;
const means = { runner: createProcessRunner(process.env), scratch: createScratchFolder };
const ask = async (
  choice: ModelChoice,
  environment: Record<string, string> = {},
  signal = never,
): Promise<ModelAnswer> =>
  (await createModelFromChoice(choice, environment, means)?.answer("The prompt", signal)) ?? { failed: "no model" };

describe("a command", () => {
  /** A program that a user might have. */
  async function program<T>(script: string, then: (path: string) => Promise<T>): Promise<T> {
    using folder = temporaryFolder();
    const path = join(folder.path, "model");
    fs.writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return await then(path);
  }

  test.each<[string, string, ModelAnswer]>([
    ["reads the prompt and answers", 'echo "$1 $(cat)"', { said: "a b The prompt\n" }],
    ["runs alone in its folder", "ls -A", { said: "" }],
    ["explains its failure", "echo 'No credit left.' >&2; exit 2", { failed: "It ended with code 2: No credit left." }],
    ["fails without a message", "exit 1", { failed: "It ended with code 1." }],
    ["is killed", "kill -9 $$", { failed: "It was ended by SIGKILL." }],
    ["writes too much", "head -c 300000 /dev/zero | tr '\\0' x", { failed: "The answer was too long." }],
    ["never ends", "exec sleep 1000", { failed: "It took longer than 0.2 s." }],
  ])("reports a command that %s", async (_, script, expected) => {
    const timeout = script.includes("sleep") ? "0.2" : "30";
    expect(await program(script, (path) => ask({ command: `${path} "a b"`, timeout }))).toEqual(expected);
  });

  test("reports a command that does not exist", async () => {
    expect(await ask({ command: "no-such-model -p" })).toEqual({ failed: "There is no program no-such-model." });
  });

  test("ends a command when its caller cancels", async () => {
    expect(await program("exec sleep 1000", (path) => ask({ command: path }, {}, AbortSignal.abort()))).toEqual({
      failed: "It was cancelled.",
    });
  });

  test("passes the user's variables, except those that mark a nested run", async () => {
    const seen: unknown[] = [];
    const runner: CommandRunner = {
      run: (running) => {
        seen.push(running.passes);
        return means.runner.run(running);
      },
    };
    await createModelFromChoice(
      { command: "true" },
      { OLLAMA_HOST: "x", CLAUDECODE: "1" },
      { ...means, runner },
    )?.answer("", never);
    expect(seen).toEqual([["OLLAMA_HOST"]]);
  });
});

describe("a host", () => {
  interface Asked {
    readonly url: string | undefined;
    readonly headers: IncomingMessage["headers"];
    readonly body: unknown;
  }

  /** A real server on this machine, and what it was asked. */
  async function host<T>(
    answer: (response: ServerResponse) => void,
    then: (url: string) => Promise<T>,
  ): Promise<[T, Asked[]]> {
    const asked: Asked[] = [];
    const server = createServer((request, response) => {
      let text = "";
      request.on("data", (part: Buffer) => void (text += part.toString()));
      request.on("end", () => {
        asked.push({ url: request.url, headers: request.headers, body: JSON.parse(text) as unknown });
        answer(response);
      });
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    try {
      return [await then(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), asked];
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    }
  }

  const json = (value: unknown) => (response: ServerResponse) => void response.end(JSON.stringify(value));
  const CHAT = { choices: [{ message: { content: "Said." } }] };

  test("calls a host with the OpenAI API, such as Ollama", async () => {
    const [answer, asked] = await host(json(CHAT), (url) => ask({ url: `${url}/v1/`, model: "llama3.2" }));
    expect(answer).toEqual({ said: "Said." });
    expect(asked).toMatchObject([
      {
        url: "/v1/chat/completions",
        body: { model: "llama3.2", stream: false, messages: [{ role: "user", content: "The prompt" }] },
      },
    ]);
    expect(asked[0]?.headers).not.toHaveProperty("authorization");
  });

  test("calls a host with the Anthropic API", async () => {
    const content = [
      { type: "thinking", thinking: "…" },
      { type: "text", text: "Said" },
      { type: "text", text: "." },
    ];
    const [answer, asked] = await host(json({ content }), (url) =>
      ask({ url: `${url}/v1/messages`, model: "haiku" }, { TENON_MODEL_KEY: KEY }),
    );
    expect(answer).toEqual({ said: "Said." });
    expect(asked).toMatchObject([
      { url: "/v1/messages", headers: { "x-api-key": KEY }, body: { model: "haiku", max_tokens: 4096 } },
    ]);
  });

  test("sends only the key that is named for it", async () => {
    const keys = { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY };
    const [, none] = await host(json(CHAT), (url) => ask({ url, model: "m" }, keys));
    expect(JSON.stringify(none)).not.toContain(KEY);
    const [, own] = await host(json(CHAT), (url) => ask({ url, model: "m" }, { TENON_MODEL_KEY: KEY }));
    expect(own).toMatchObject([{ url: "/v1/chat/completions", headers: { authorization: `Bearer ${KEY}` } }]);
  });

  const status = (code: number) => (response: ServerResponse) => {
    response.statusCode = code;
    response.end(JSON.stringify({ error: { message: `Incorrect key ${KEY}` } }));
  };

  test.each<[string, (response: ServerResponse) => void, string]>([
    ["rejects the key", status(401), "The host rejected the key."],
    ["has no such model", status(404), "The host does not know this model or address."],
    ["limits requests", status(429), "The host's rate limit is reached."],
    ["has an internal error", status(503), "The host answered 503."],
    ["answers in another format", json({ response: "Said." }), "The host's answer has an unknown form."],
    ["answers without JSON", (response) => void response.end("<html>"), "The host's answer has an unknown form."],
    ["writes too much", (response) => void response.end("x".repeat(300_000)), "The answer was too long."],
    ["hangs up", (response) => void response.destroy(), "The host could not be reached: UND_ERR_SOCKET."],
    [
      "stops in the middle of an answer",
      (response) => {
        response.write('{"choices":');
        setImmediate(() => response.destroy());
      },
      "The host could not be reached: UND_ERR_SOCKET.",
    ],
  ])("reports a host that %s", async (_, answer, failed) => {
    const [said] = await host(answer, (url) => ask({ url, model: "m" }, { TENON_MODEL_KEY: KEY }));
    expect(said).toEqual({ failed });
  });

  test("stops waiting for a host that never ends its answer", async () => {
    const [said] = await host(
      (response) => void response.write('{"choices":'),
      (url) => ask({ url, model: "m", timeout: "0.05" }),
    );
    expect(said).toEqual({ failed: "It took longer than 0.05 s." });
  });

  test("ends a request when its caller cancels", async () => {
    const stopping = new AbortController();
    const [said] = await host(
      () => stopping.abort(),
      (url) => ask({ url, model: "m" }, {}, stopping.signal),
    );
    expect(said).toEqual({ failed: "It was cancelled." });
  });

  test("does not follow a redirect, which would send the key and the prompt elsewhere", async () => {
    const [[said], elsewhere] = await host(json(CHAT), (other) =>
      host(
        (response) => {
          response.writeHead(307, { location: other });
          response.end();
        },
        (url) => ask({ url, model: "m" }, { TENON_MODEL_KEY: KEY }),
      ),
    );
    expect(said).toEqual({ failed: "The host answered with a redirect, which Tenon does not follow." });
    expect(elsewhere).toEqual([]);
  });

  test("reports a host that does not exist", async () => {
    const [url] = await host(json(CHAT), async (there) => there);
    expect(await ask({ url, model: "m" })).toEqual({ failed: "The host could not be reached: ECONNREFUSED." });
  });
});

describe("the model settings", () => {
  const name = (choice: ModelChoice, environment: Record<string, string> = {}): string | undefined =>
    createModelFromChoice(choice, environment, means)?.name;

  test.each<[string, ModelChoice, Record<string, string>, string | undefined]>([
    ["nothing", {}, {}, undefined],
    [
      "chooses no model for a key alone",
      {},
      { ANTHROPIC_API_KEY: KEY, TENON_MODEL_KEY: KEY, TENON_MODEL: "m" },
      undefined,
    ],
    ["chooses no model for an empty variable", {}, { TENON_MODEL_COMMAND: " " }, undefined],
    ["a command", { command: "claude -p" }, {}, "claude -p"],
    ["a command of the environment", {}, { TENON_MODEL_COMMAND: "codex exec -" }, "codex exec -"],
    [
      "a URL of the environment",
      {},
      { TENON_MODEL_URL: "http://localhost:1/v1", TENON_MODEL: "m" },
      "m at localhost:1",
    ],
    [
      "the flag before the environment",
      { command: "claude -p" },
      { TENON_MODEL_URL: "http://localhost:1" },
      "claude -p",
    ],
    ["words in quotes", { command: `ollama run "a b" 'c'` }, {}, 'ollama run "a b" c'],
    [
      "Anthropic with its own key",
      { url: "https://api.anthropic.com", model: "h" },
      { ANTHROPIC_API_KEY: KEY },
      "h at api.anthropic.com",
    ],
  ])("%s", (_, choice, environment, expected) => {
    expect(name(choice, environment)).toBe(expected);
  });

  test.each<[ModelChoice, Record<string, string>, string]>([
    [{ command: "claude -p", url: "http://localhost:1" }, {}, "Give either a command or a URL, not both."],
    [{ model: "m" }, {}, "No model is configured."],
    [{ url: "http://localhost:1" }, {}, "The model's name is missing."],
    [{ url: "localhost", model: "m" }, {}, '"localhost" is not an http or https URL.'],
    [{ url: "file:///etc/passwd", model: "m" }, {}, '"file:///etc/passwd" is not an http or https URL.'],
    [{ url: `https://x:${KEY}@example.com`, model: "m" }, {}, "Put the key in TENON_MODEL_KEY, not in the URL."],
    [
      { url: "http://example.com", model: "m" },
      { TENON_MODEL_KEY: KEY },
      "Tenon sends a key over http only to this machine.",
    ],
    [
      { url: "http://api.openai.com", model: "m" },
      { OPENAI_API_KEY: KEY },
      "Tenon sends a key over http only to this machine.",
    ],
    [
      { url: "http://localhost:1", model: "m" },
      { TENON_MODEL_KEY: "a b" },
      "The key contains a character that keys do not have, such as a space or a line break.",
    ],
    [{ command: "claude -p | tee x" }, {}, "The command runs without a shell: put this line in a script."],
    [{ command: "./claude -p" }, {}, "Name the program by its name or its absolute path."],
    [{ command: "  " }, {}, "The command has no program."],
    [{ command: "claude", timeout: "90" }, {}, 'The time limit is "90": give seconds, at most 60.'],
    [{ command: "claude" }, { TENON_MODEL_TIMEOUT: "soon" }, 'The time limit is "soon": give seconds, at most 60.'],
  ])("%j with %j is reported: %s", (choice, environment, why) => {
    expect(() => name(choice, environment)).toThrow(expect.objectContaining({ code: "model.unusable", why }));
  });
});
