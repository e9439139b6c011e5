package io.memorygateway.testing;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A {@link Browser} for the tests of a class. Without one nothing of the class is run, unless the
 * environment says {@code CONSOLE_BROWSER=required}. Register it in a static field before what it
 * looks at.
 */
public final class TestBrowser implements ExecutionCondition, BeforeAllCallback, AfterAllCallback {
  private static final String SKIPPED =
      "skipped: the console in a browser (to run it: apt-get install chromium chromium-driver)";

  private Browser browser;

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    if (Browser.isInstalled() || "required".equals(System.getenv("CONSOLE_BROWSER"))) {
      return ConditionEvaluationResult.enabled("a browser is there, or has to be");
    }
    // Told once for all classes of a JVM.
    context
        .getStore(
            ExtensionContext.StoreScope.LAUNCHER_SESSION,
            ExtensionContext.Namespace.create(TestBrowser.class))
        .getOrComputeIfAbsent(SKIPPED, TestBrowser::tell);
    return ConditionEvaluationResult.disabled(SKIPPED);
  }

  private static String tell(String line) {
    System.err.println(line);
    return line;
  }

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    browser = Browser.start();
  }

  @Override
  public void afterAll(ExtensionContext context) throws Exception {
    if (browser != null) {
      browser.close();
    }
  }

  public Browser get() {
    return browser;
  }
}
