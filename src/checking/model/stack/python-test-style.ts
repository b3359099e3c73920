/** How a Python test file is written. Pytest runs both kinds, unittest only its own. */
export type PythonTestStyle = "pytest" | "unittest";

const PYTHON_TEST_PATH = /(?:^|\/)(?:test[^/]*|[^/]*_test)\.py$/;
export const MOST_READ_PYTHON_TESTS = 200;

export const isPythonTestPath = (path: string): boolean => PYTHON_TEST_PATH.test(path);

export function detectPythonTestStyle(text: string): PythonTestStyle | undefined {
  if (/^[ \t]*(?:import|from)[ \t]+pytest\b|^(?:async )?def test|^class Test\w*(?:\(\))?:/m.test(text)) return "pytest";
  return /\bTestCase\b/.test(text) ? "unittest" : undefined;
}
