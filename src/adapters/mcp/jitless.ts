import { config } from "zod/v4/core";

/** zod compiles each schema on first use, which pays only for those used thousands of times. Import before the SDK. */
config({ jitless: true });
