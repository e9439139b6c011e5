package io.memorygateway.ops;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.spi.ILoggingEvent;
import com.google.common.collect.ImmutableList;
import io.dropwizard.core.Configuration;
import io.dropwizard.logging.common.DefaultLoggingFactory;
import io.dropwizard.logging.common.FileAppenderFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogFilesTest {
  @TempDir private Path folder;

  @Test
  void aFileThatCannotBeWrittenIsNamed() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));

    assertThatCode(() -> check(folder.resolve("new/gateway.log"))).doesNotThrowAnyException();
    assertThatThrownBy(() -> check(file.resolve("gateway.log")))
        .hasMessageContaining("because of " + file);
  }

  /**
   * With DynamicUser the folder is the service's alone, and a link leads into it. Root can enter,
   * and finds nothing wrong.
   */
  @Test
  void ofAFolderThatOthersCannotEnterNothingIsSaid() throws IOException {
    Path hidden = Files.createDirectory(folder.resolve("private"));
    Path link = Files.createSymbolicLink(folder.resolve("gateway"), hidden.resolve("gateway"));
    Files.setPosixFilePermissions(hidden, PosixFilePermissions.fromString("---------"));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("r-x------"));
    try {
      assertThatCode(() -> check(hidden.resolve("gateway/gateway.log"))).doesNotThrowAnyException();
      assertThatCode(() -> check(link.resolve("gateway.log"))).doesNotThrowAnyException();
    } finally {
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
      Files.setPosixFilePermissions(hidden, PosixFilePermissions.fromString("rwx------"));
    }
  }

  private static void check(Path file) {
    FileAppenderFactory<ILoggingEvent> appender = new FileAppenderFactory<>();
    appender.setCurrentLogFilename(file.toString());
    appender.setArchive(false);
    DefaultLoggingFactory logging = new DefaultLoggingFactory();
    logging.setAppenders(ImmutableList.of(appender));
    Configuration configuration = new Configuration();
    configuration.setLoggingFactory(logging);
    LogFiles.check(configuration);
  }
}
