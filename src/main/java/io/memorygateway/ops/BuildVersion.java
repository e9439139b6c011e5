package io.memorygateway.ops;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/**
 * The version of this build, with the commit that it was built from.
 *
 * @param version of the project; empty if the classes were not built by Maven
 * @param commit the hash of the commit; empty if the build had no git
 * @param commitTime when the commit was made, in UTC; empty without a commit
 * @param changed whether files differed from the commit
 */
public record BuildVersion(String version, String commit, String commitTime, boolean changed) {
  /** Returns the version of the running code, from the resource that the build filled in. */
  public static BuildVersion current() {
    Properties properties = new Properties();
    try (InputStream in = BuildVersion.class.getResourceAsStream("build.properties")) {
      if (in != null) {
        properties.load(in);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("build.properties in the jar cannot be read", e);
    }
    return of(properties);
  }

  /** Reads the version from properties; values that the build did not fill in are empty. */
  static BuildVersion of(Properties properties) {
    return new BuildVersion(
        filledIn(properties, "version"),
        filledIn(properties, "commit"),
        filledIn(properties, "commit.time"),
        filledIn(properties, "changed").equals("true"));
  }

  private static String filledIn(Properties properties, String name) {
    String value = properties.getProperty(name, "").strip();
    return value.startsWith("${") ? "" : value;
  }

  /** Returns one line for people, as {@code --version} prints it. */
  public String text() {
    StringBuilder text = new StringBuilder("memory-gateway ");
    text.append(version.isEmpty() ? "of an unknown version" : version);
    if (commit.isEmpty()) {
      return text.append(" (built without git, commit unknown)").toString();
    }
    text.append(" (commit ").append(commit);
    if (!commitTime.isEmpty()) {
      text.append(" of ").append(commitTime);
    }
    return text.append(changed ? ", with changes that are not committed)" : ")").toString();
  }
}
