package io.memorygateway.testing;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A {@link Browser} for the tests of a class; without one they are skipped, unless the environment
 * says {@code CONSOLE_BROWSER=required}. Register it in a static field before what it looks at.
 */
public final class TestBrowser implements BeforeAllCallback, AfterAllCallback {
  private Browser browser;

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    browser = Browser.start().orElse(null);
    if (browser == null && "required".equals(System.getenv("CONSOLE_BROWSER"))) {
      throw new AssertionError("There is no browser, and CONSOLE_BROWSER requires one.");
    }
    Assumptions.assumeTrue(
        browser != null,
        "skipped: there is no Chromium with its chromedriver; on Debian, apt-get install chromium"
            + " chromium-driver");
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
