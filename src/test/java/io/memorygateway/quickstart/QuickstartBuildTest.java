package io.memorygateway.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.testing.TestTimeout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ops/quickstart} does until it has built, in a checkout whose Maven is a script. */
class QuickstartBuildTest {
  private static final String BUILT =
      "mkdir -p target/classes target/test-classes; echo target/classes >target/test.classpath";

  @TempDir Path checkout;
  private Process running;
  private String home;

  @BeforeEach
  void checkOut() throws IOException {
    for (String folder : new String[] {"ops", "bin", "src", "migrations"}) {
      Files.createDirectory(checkout.resolve(folder));
    }
    Files.copy(Path.of("ops/quickstart"), checkout.resolve("ops/quickstart"));
    Files.createFile(checkout.resolve("pom.xml"));
    program(
        "java",
        """
        [ "$1" = -version ] && { echo 'openjdk version "17.0.1"'; exit; }
        echo "started ${@: -1}"
        """);
    program("javac", "");
  }

  @AfterEach
  void end() {
    running.destroy();
  }

  @Test
  void whatMavenDoesIsToldOnStandardError() throws Exception {
    program(
        "mvn",
        """
        # In one piece, so that nothing is told of a part.
        cat <<END
        [INFO] Scanning for projects...
        [INFO] Downloading from central: https://example.org/one.jar
        [INFO] Downloaded from central: https://example.org/one.jar (1.5 MB at 1.0 MB/s)
        [INFO] Downloaded from central: https://example.org/two.jar (501 kB at 23 kB/s)
        [INFO] Downloading from central: https://example.org/three.jar
        END
        %s
        echo '[INFO] --- maven-resources-plugin:3.4.0:resources (default-resources) @ gateway ---'
        echo '[INFO] --- maven-compiler-plugin:3.15.0:compile (default-compile) @ gateway ---'
        echo '[INFO] --- compiler:3.15.0:testCompile (default-testCompile) @ gateway ---'
        %s
        """
            .formatted(untilTold("three.jar"), BUILT));

    Run run = run();

    assertThat(run.status()).isZero();
    assertThat(run.out()).isEqualTo("started io.memorygateway.quickstart.Quickstart\n");
    assertThat(run.err().lines().distinct())
        .hasSize(4)
        .allMatch(line -> line.startsWith("quickstart: "))
        .satisfiesExactly(
            first -> assertThat(first).contains("building", "MB", "target/quickstart.log"),
            load -> assertThat(load).contains("2 files, 2 MB so far; now three.jar"),
            main -> assertThat(main).endsWith("compiling the gateway"),
            tests -> assertThat(tests).contains("compiling the tests"));
    assertThat(run.err()).matches("[\\n\\x20-\\x7e]*");
  }

  /** A file stands for a folder that cannot be written to: nothing keeps root from writing. */
  @Test
  void whereItCannotWriteIsToldInOneLine() throws Exception {
    Files.createFile(checkout.resolve(".quickstart"));
    assertThat(run().err())
        .isEqualTo(
            "quickstart: cannot write to "
                + checkout.toRealPath()
                + "/.quickstart: set GATEWAY_DATA_DIR to a folder for the database, or DATABASE_URL\n");
    Files.delete(checkout.resolve(".quickstart"));
    Files.createFile(checkout.resolve("target"));
    Run run = run();
    assertThat(run.status()).isOne();
    assertThat(run.err().lines()).singleElement().asString().contains("/target: copy the source");
  }

  @Test
  void aWrongJavaHomeIsToldInOneLine() throws Exception {
    home = "/nowhere";
    Run run = run();
    assertThat(run.status()).isOne();
    assertThat(run.err())
        .isEqualTo("quickstart: JAVA_HOME is wrong: there is no /nowhere/bin/java\n");
  }

  @Test
  void aStepThatLastsIsToldAgain() throws Exception {
    program(
        "mvn",
        """
        echo '[INFO] --- maven-compiler-plugin:3.15.0:compile (default-compile) @ gateway ---'
        %s
        %s
        """
            .formatted(untilTold("still compiling the gateway"), BUILT));

    assertThat(run().err()).containsPattern("still compiling the gateway \\(\\d+ s\\)");
  }

  @Test
  void whatIsBuiltIsNotBuiltAgainUntilASourceChanges() throws Exception {
    program("mvn", "echo >>built; " + BUILT);
    run();

    assertThat(run().err()).isEmpty();
    Files.writeString(checkout.resolve("src/New.java"), "");
    Files.setLastModifiedTime(
        checkout.resolve("src/New.java"), FileTime.from(Instant.now().plusSeconds(60)));
    assertThat(run().err()).contains("building");
    assertThat(checkout.resolve("built")).hasContent("\n\n");
  }

  @Test
  void ofABuildThatFailsTheErrorsAreTold() throws Exception {
    program(
        "mvn",
        """
        echo '[INFO] much that went well'
        echo '[ERROR] A.java:[3,4] cannot find symbol'
        echo '[INFO] BUILD FAILURE'
        echo '[ERROR] Failed to execute goal compile: Compilation failure'
        echo '[ERROR] A.java:[3,4] cannot find symbol'
        echo '[ERROR] '
        echo '[ERROR] -> [Help 1]'
        echo '[ERROR] Re-run Maven using the -X switch to enable full debug logging.'
        exit 1
        """);

    Run run = run();

    assertThat(run.status()).isOne();
    assertThat(run.out()).isEmpty();
    assertThat(run.err().lines().skip(1))
        .containsExactly(
            "[ERROR] A.java:[3,4] cannot find symbol",
            "[ERROR] Failed to execute goal compile: Compilation failure",
            "quickstart: the build failed; all that Maven said is in target/quickstart.log");
  }

  @Test
  void ofAMavenThatNamesNoErrorTheLastLinesAreTold() throws Exception {
    program("mvn", "seq 20; exit 1");

    assertThat(run().err().lines().skip(1)).startsWith("11").contains("20").doesNotContain("10");
  }

  @Test
  void termEndsMavenAsWell() throws Exception {
    // A child of its own, as a launcher that does not hand its process over to Java.
    program("mvn", "sleep 600 & echo $! >child; echo $$ >parent; wait");
    Process process = start();
    await().until(() -> checkout.resolve("parent").toFile().length() > 0);

    process.destroy();

    assertThat(process.waitFor()).isEqualTo(128 + 15);
    for (String file : new String[] {"child", "parent"}) {
      long pid = Long.parseLong(Files.readString(checkout.resolve(file)).strip());
      await().until(() -> ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty());
    }
    assertThat(checkout.resolve("target/quickstart.built")).doesNotExist();
  }

  /** Lets a script go on when this has been told. */
  private static String untilTold(String words) {
    return "until grep -q '%s' err; do sleep 0.1; done".formatted(words);
  }

  private void program(String name, String script) throws IOException {
    Path file = Files.writeString(checkout.resolve("bin").resolve(name), "#!/bin/bash\n" + script);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }

  private record Run(int status, String out, String err) {}

  private Run run() throws IOException, InterruptedException {
    Process process = start();
    assertThat(process.waitFor(TestTimeout.SECONDS, TimeUnit.SECONDS)).isTrue();
    return new Run(process.exitValue(), read("out"), read("err"));
  }

  private Process start() throws IOException {
    ProcessBuilder builder = new ProcessBuilder("bash", "ops/quickstart");
    Map<String, String> environment = builder.environment();
    for (String variable : new String[] {"JAVA_HOME", "DATABASE_URL", "GATEWAY_DATA_DIR"}) {
      environment.remove(variable);
    }
    if (home != null) {
      environment.put("JAVA_HOME", home);
    }
    environment.put("PATH", checkout.resolve("bin") + ":" + environment.get("PATH"));
    environment.put("QUICKSTART_REPORT_SECONDS", "1");
    running =
        builder
            .directory(checkout.toFile())
            .redirectOutput(checkout.resolve("out").toFile())
            .redirectError(checkout.resolve("err").toFile())
            .start();
    return running;
  }

  private String read(String file) throws IOException {
    return Files.readString(checkout.resolve(file));
  }
}
