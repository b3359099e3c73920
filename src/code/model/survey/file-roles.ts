import { isTestData, isTestPath } from "../scan/test-files.ts";
import { findSkipReason } from "./file-selection.ts";

/** Only product files can prove a requirement. The others are evidence for it, such as tests. */
export type FileRole = "product" | "test" | "example" | "docs" | "tooling" | "other";

const EXAMPLE_PATH =
  /(?:^|\/)_?(?:[\w.]+[-_.])?(?:examples?|samples?|demos?|playgrounds?|sandbox|tutorials?|cookbook|recipes)\//i;
/** The package name that generators propose: `com/example/demo`. */
const PROPOSED_PACKAGE = /\/(?:com|org|net|io|dev|me)\/(?:(?:example|demo|sample)\/)+/g;
const EXAMPLE_FILE = /(?:^|\/)(?:examples?|demo)[._-][^/]+$|_examples?_test\.go$|(?:^|\/)example_\w*test\.go$/i;
const DOCS_PATH = /(?:^|\/)(?:docs?|site|website|doc_src|documentation|guides?|book|www)\/.*\.(?!go$|rs$|java$)\w+$/i;
const TOOLING_PATH =
  /(?:^|\/)(?:scripts?|tools?|tooling|hack|ci|\.\w[\w.-]*|benches|benchmarks?|bench|perf|fuzz|etc|build[-_]?(?:tools|support)|debian|packaging)\//i;
const TOOLING_FILE =
  /(?:^|\/)(?:setup|noxfile|tasks|conf|fabfile|build)\.(?:py|rs)$|(?:^|\/)(?:[Gg]ulp|[Gg]runt|[Rr]ake|[Vv]agrant)[Ff]ile[^/]*$|\.(?:config|conf|setup)\.[cm]?[jt]s$|(?:^|\/)\.(?!env)[^/]+$/;

/** In a package name, `samples` may be the product: `org/springframework/samples/petclinic`. */
const JAVA_PACKAGE = /\/src\/main\/(?:java|kotlin|scala)\/.*|^src\/main\/(?:java|kotlin|scala)\/.*/;

export function classifyFileRole(where: string): FileRole {
  const path = where
    .replace(PROPOSED_PACKAGE, "/")
    .replace(JAVA_PACKAGE, (part) => part.replaceAll(/\b(?:samples?|demos?)\//g, "x/"));
  if (isTestPath(path) || isTestData(path)) return "test";
  if (EXAMPLE_PATH.test(path) || EXAMPLE_FILE.test(path)) return "example";
  if (DOCS_PATH.test(path)) return "docs";
  if (TOOLING_PATH.test(path) || TOOLING_FILE.test(path)) return "tooling";
  return /^(?:vendored|test data|lock|generated)/.test(findSkipReason(path) ?? "") ? "other" : "product";
}
