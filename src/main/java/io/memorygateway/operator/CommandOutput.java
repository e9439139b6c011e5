package io.memorygateway.operator;

import static java.util.Objects.requireNonNull;

import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Output of a command: standard output, or a file, which is written beside its name and takes that
 * once it is whole. Whatever had the name before stays if the command fails.
 */
public final class CommandOutput extends BufferedOutputStream {
  private final @Nullable Unfinished file;

  private CommandOutput(OutputStream out, @Nullable Unfinished file) {
    super(out);
    this.file = file;
  }

  /**
   * Opens the output.
   *
   * @param name of the file; null for standard output
   */
  public static CommandOutput open(@Nullable String name, PrintStream standardOutput)
      throws IOException {
    if (name == null) {
      return new CommandOutput(leftOpen(standardOutput), null);
    }
    Path target = Path.of(name);
    boolean exists = Files.exists(target);
    if (exists && (!Files.isRegularFile(target) || !isFolderWritable(target))) {
      return new CommandOutput(Files.newOutputStream(target), null); // a pipe, a device
    }
    if (exists) {
      target = target.toRealPath(); // a link stays one
      Files.newOutputStream(target, StandardOpenOption.APPEND).close(); // it may be written
    }
    Path folder = requireNonNull(target.toAbsolutePath().getParent());
    if (!exists && !Files.isWritable(folder)) {
      String wrong = Files.isDirectory(folder) ? "cannot be written to" : "does not exist";
      throw new IOException("The folder " + folder + " " + wrong + ".");
    }
    Path part = target.resolveSibling(target.getFileName() + "." + UUID.randomUUID() + ".part");
    PosixFileAttributeView before =
        exists ? Files.getFileAttributeView(target, PosixFileAttributeView.class) : null;
    part.toFile().deleteOnExit(); // of a command that is interrupted
    if (before != null) {
      Set<PosixFilePermission> permissions = before.readAttributes().permissions();
      Files.createFile(part, PosixFilePermissions.asFileAttribute(permissions));
      Files.setPosixFilePermissions(part, permissions); // those that umask took
    }
    OutputStream out = Files.newOutputStream(part);
    return new CommandOutput(out, new Unfinished(part, target));
  }

  /** A file that a container mounts, for one, stands where no other can be put beside it. */
  private static boolean isFolderWritable(Path file) throws IOException {
    return Files.isWritable(requireNonNull(file.toRealPath().getParent()));
  }

  /** Ends the output: all of it is there. */
  public void finish() throws IOException {
    flush();
    out.close();
    if (file != null) {
      Files.move(file.part, file.target, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  @Override
  public void close() throws IOException {
    try {
      super.close();
    } finally {
      if (file != null) {
        Files.deleteIfExists(file.part); // it has another name once it is finished
      }
    }
  }

  /**
   * Looks whether standard output has all that was written to it; print streams tell nobody.
   *
   * @throws IOException if not
   */
  public static void checkWritten(PrintStream standardOutput) throws IOException {
    if (standardOutput.checkError()) {
      throw new IOException("Standard output cannot be written: it is full, or nobody reads it.");
    }
  }

  /** Stream that leaves its target open: standard output belongs to the process. */
  private static OutputStream leftOpen(PrintStream target) {
    return new FilterOutputStream(target) {
      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        target.write(bytes, offset, length);
        checkWritten(target);
      }

      @Override
      public void close() {
        target.flush();
      }
    };
  }

  private record Unfinished(Path part, Path target) {}
}
