import * as z from "zod/mini";
import clients from "./clients.json" with { type: "json" };

export const CLIENT_IDS = [
  "claude",
  "codex",
  "gemini",
  "qwen",
  "cursor",
  "vscode",
  "copilot",
  "opencode",
  "windsurf",
  "zed",
  "kiro",
  "agents",
] as const;

export type ClientId = (typeof CLIENT_IDS)[number];

export type SetupScope = "project" | "user";

const texts = z.array(z.string());

/** A value per scope; absent where a client has no such location. */
const createPerScope = <T extends z.ZodMiniType>(value: T) =>
  z.strictObject({ project: z.exactOptional(value), user: z.exactOptional(value) });

const ClientHookEvent = z.strictObject({
  name: z.string(),
  event: z.string(),
  matcher: z.exactOptional(z.string()),
  /** Whether it has no timeout of its own: all hooks at the end share the little time that the client gives. */
  isAtEnd: z.exactOptional(z.boolean()),
});

const ClientHooks = z.strictObject({
  /** `groups`: lists of matchers, as in Claude Code. `own-file`, `own-list`: separate files. `plugin`: a program. */
  shape: z.enum(["groups", "flat", "own-file", "own-list", "plugin"]),
  events: z.array(ClientHookEvent),
  /** Argument of `tenon hook` for clients with their own answer format. */
  dialect: z.exactOptional(z.string()),
  more: z.exactOptional(z.record(z.string(), z.unknown())),
  head: z.exactOptional(z.record(z.string(), z.unknown())),
  files: createPerScope(z.string()),
});

const SetupClient = z.strictObject({
  id: z.enum(CLIENT_IDS),
  title: z.string(),
  /** Files and folders that only users of this client have. */
  signs: z.strictObject({ project: texts, user: texts }),
  server: z.exactOptional(
    z.strictObject({
      form: z.enum(["json", "toml"]),
      /** The first that exists, else the last. */
      files: createPerScope(texts),
      way: texts,
      value: z.record(z.string(), z.unknown()),
    }),
  ),
  rules: z.exactOptional(
    z.strictObject({
      /** Text above the rules in a file of their own; absent where the rules are a part of the user's file. */
      head: z.exactOptional(z.string()),
      files: createPerScope(texts),
    }),
  ),
  commands: z.exactOptional(
    z.strictObject({
      form: z.enum(["claude", "copilot", "cursor", "gemini", "opencode", "skill", "windsurf"]),
      folder: createPerScope(z.string()),
    }),
  ),
  /** The list of skills that a client with commands of its own must not show: it also reads the skills of others. */
  hiddenSkills: z.exactOptional(z.strictObject({ way: texts, files: createPerScope(z.string()) })),
  hooks: z.exactOptional(ClientHooks),
  notes: createPerScope(texts),
});

export type ClientHookEvent = z.infer<typeof ClientHookEvent>;
export type ClientHooks = z.infer<typeof ClientHooks>;
export type SetupClient = z.infer<typeof SetupClient>;
export type CommandFormat = NonNullable<SetupClient["commands"]>["form"];

/** Every supported client; docs/guide/clients.md shows them as a table. */
export const SETUP_CLIENTS = z.record(z.enum(CLIENT_IDS), SetupClient).parse(clients);

/** `--all` leaves out Claude Code, because its plugin would do everything twice. */
export const DEFAULT_CLIENT_IDS: readonly ClientId[] = CLIENT_IDS.filter((id) => id !== "claude");
