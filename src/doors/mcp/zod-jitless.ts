import { config } from "zod/v4/core";

/** zod compiles each schema on first use, which pays off only after thousands of uses. Import this before the SDK. */
config({ jitless: true });
