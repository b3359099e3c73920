# Tenon's runner for unittest: python unittest.py [test file]... Writes JUnit XML to TENON_REPORT.
import os
import sys
import time
import traceback
import unittest
from xml.sax.saxutils import escape, quoteattr

ROOT = os.getcwd()


def find_tests(files):
    """Tests of the given files, or of the folder tests, test or the current one."""
    suite = unittest.TestSuite()
    for path in files:
        suite.addTests(discover(os.path.dirname(path) or ".", os.path.basename(path)))
    if files:
        return suite
    folders = [folder for folder in ("tests", "test") if os.path.isdir(folder)] or ["."]
    for folder in folders:
        suite.addTests(discover(folder, "test*.py"))
    return suite


def discover(folder, pattern):
    top = folder
    while os.path.isfile(os.path.join(top, "__init__.py")):
        top = os.path.dirname(top) or "."
    return unittest.TestLoader().discover(folder, pattern, top)


class Report(unittest.TextTestResult):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.cases = []
        self.began = 0.0

    def startTest(self, test):
        self.began = time.time()
        super().startTest(test)

    def add(self, test, status="", error=None):
        module = type(test).__module__
        method = getattr(test, "_testMethodName", str(test))
        name = method if status else test.id().rsplit(".", 1)[-1]
        if module == "unittest.loader":
            # A file that cannot be loaded stands for itself.
            file, status, classname = name_file(test), "collection", ""
        else:
            file = os.path.relpath(getattr(sys.modules.get(module), "__file__", module), ROOT)
            classname = file[:-3].replace(os.sep, ".") + "." + type(test).__qualname__
        attributes = " ".join(
            "%s=%s" % (key, quoteattr(value))
            for key, value in (("file", file), ("classname", classname), ("name", name), ("time", "%.3f" % (time.time() - self.began)))
        )
        self.cases.append("<testcase %s>%s</testcase>" % (attributes, describe(status, error, test)))

    def addSuccess(self, test):
        super().addSuccess(test)
        self.add(test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.add(test, "failure", err)

    def addError(self, test, err):
        super().addError(test, err)
        self.add(test, "error", err)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.add(test, "skipped")

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self.add(test, "skipped")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.add(test, "failure", (AssertionError, AssertionError("Unexpected success"), None))

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.add(test, "failure" if issubclass(err[0], test.failureException) else "error", err)


def name_file(test):
    parts = test.id().split("_FailedTest.", 1)[-1].split(".")
    for folder in ("", "tests", "test"):
        path = os.path.join(folder, *parts) + ".py"
        if os.path.isfile(path):
            return path
    return "/".join(parts) + ".py"


def describe(status, error, test):
    if status == "collection":
        try:
            getattr(test, test._testMethodName)()
        except Exception as problem:
            lines = [line for line in str(problem).strip().splitlines() if line.strip()]
            return '<error message="collection failure">%s</error>' % escape("E   " + (lines[-1] if lines else ""))
    if status in ("", "skipped"):
        return "<skipped/>" if status else ""
    kind, problem, trace = error
    text = "".join(traceback.format_exception(kind, problem, trace))
    first = str(problem) or kind.__name__
    return "<%s type=%s message=%s>%s</%s>" % (status, quoteattr(kind.__name__), quoteattr(first), escape(text), status)


def main():
    sys.path.insert(0, ROOT)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, resultclass=Report).run(find_tests(sys.argv[1:]))
    if not result.cases:
        print("unittest found no tests. If the project uses pytest, list it among its dependencies.")
        sys.exit(5)
    with open(os.environ["TENON_REPORT"], "w", encoding="utf-8") as file:
        file.write('<testsuites><testsuite name="unittest">%s</testsuite></testsuites>' % "".join(result.cases))
    sys.exit(0 if result.wasSuccessful() else 1)


main()
