package io.memorygateway.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.CommandLine;
import java.io.IOException;
import java.io.StringReader;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** What {@code --version} says. */
class BuildVersionTest {
  private static final String COMMIT = "5be61f6d0c1a5e0f2a7b4c8d9e0f1a2b3c4d5e6f";

  @Test
  void namesVersionCommitAndTheTimeOfTheCommit() throws Exception {
    assertThat(text("version=1.2.3\ncommit=" + COMMIT + "\ncommit.time=2026-11-23T01:02:03Z"))
        .isEqualTo("memory-gateway 1.2.3 (commit " + COMMIT + " of 2026-11-23T01:02:03Z)");
  }

  @Test
  void saysWhenFilesDifferedFromTheCommit() throws Exception {
    assertThat(text("version=1.2.3\ncommit=" + COMMIT + "\nchanged=true"))
        .isEqualTo(
            "memory-gateway 1.2.3 (commit " + COMMIT + ", with changes that are not committed)");
  }

  @Test
  void saysWhenItWasBuiltWithoutGit() throws Exception {
    assertThat(text("version=1.2.3\ncommit=\ncommit.time=\nchanged="))
        .isEqualTo("memory-gateway 1.2.3 (built without git, commit unknown)");
    assertThat(text("version=1.2.3\ncommit=${git.commit.id}"))
        .isEqualTo("memory-gateway 1.2.3 (built without git, commit unknown)");
    assertThat(text(""))
        .isEqualTo("memory-gateway of an unknown version (built without git, commit unknown)");
  }

  @Test
  void theCommandPrintsItInOneLine() {
    CommandLine.Outcome outcome = new CommandLine().run("--version");
    assertThat(outcome.status()).isZero();
    assertThat(outcome.out()).isEqualTo(BuildVersion.current().text() + System.lineSeparator());
  }

  private static String text(String properties) throws IOException {
    Properties read = new Properties();
    read.load(new StringReader(properties));
    return BuildVersion.of(read).text();
  }
}
