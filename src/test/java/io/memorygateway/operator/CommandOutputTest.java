package io.memorygateway.operator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandOutputTest {
  @TempDir private Path folder;

  @Test
  void aFileStaysAsItWasUntilTheOutputIsWhole() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "before");
    try (CommandOutput out = open(file)) {
      out.write("half".getBytes(UTF_8));
      out.flush();
      assertThat(file).hasContent("before");
    }
    assertThat(file).hasContent("before");
    assertThat(names()).containsExactly("file");
    write(file);
    assertThat(file).hasContent("whole");
    assertThat(names()).containsExactly("file");
  }

  @Test
  void aNewFileIsThereOnceItIsWhole() throws IOException {
    Path file = folder.resolve("file");
    open(file).close();
    assertThat(names()).isEmpty();
    write(file);
    assertThat(file).hasContent("whole");
  }

  @Test
  void aFileKeepsItsPermissionsAndALinkStaysOne() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "before");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), file);
    write(link);
    assertThat(link).isSymbolicLink();
    assertThat(file).hasContent("whole");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-r-----");
  }

  @Test
  void whatIsNoFileIsWrittenAsItIs() throws IOException {
    Path device = Path.of("/dev/null");
    write(device);
    assertThat(Files.isRegularFile(device)).isFalse();
    assertThatThrownBy(() -> open(folder)).isInstanceOf(FileSystemException.class);
    assertThatThrownBy(() -> open(folder.resolve("none/file")))
        .hasMessage("The folder " + folder.resolve("none") + " does not exist.");
    assertThat(names()).isEmpty();
  }

  /** As {@code /dev/stdout} and what shells put in the place of {@code >(gzip)}. */
  @Test
  void aPipeThatALinkLeadsToIsWrittenAsItIs() throws IOException {
    Process reader = new ProcessBuilder("cat").start();
    write(Path.of("/proc", Long.toString(reader.pid()), "fd", "0"));
    reader.getOutputStream().close();
    assertThat(reader.getInputStream().readAllBytes()).asString(UTF_8).isEqualTo("whole");
  }

  @Test
  void standardOutputHasWhatWasWrittenAndStaysOpen() throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (PrintStream standard = new PrintStream(bytes, false, UTF_8)) {
      try (CommandOutput out = CommandOutput.open(null, standard)) {
        out.write("whole".getBytes(UTF_8));
        out.finish();
        assertThat(bytes).hasToString("whole");
      }
      standard.print(", and more");
    }
    assertThat(bytes).hasToString("whole, and more");
  }

  @Test
  void standardOutputThatIsFullFails() {
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("full");
          }
        };
    assertThatThrownBy(
            () -> {
              try (CommandOutput out =
                  CommandOutput.open(null, new PrintStream(full, true, UTF_8))) {
                out.write("whole".getBytes(UTF_8));
                out.finish();
              }
            })
        .isInstanceOf(IOException.class)
        .hasMessageContaining("nobody reads it");
  }

  private static CommandOutput open(Path file) throws IOException {
    return CommandOutput.open(file.toString(), System.out);
  }

  private static void write(Path file) throws IOException {
    try (CommandOutput out = open(file)) {
      out.write("whole".getBytes(UTF_8));
      out.finish();
    }
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(each -> each.getFileName().toString()).toList();
    }
  }
}
