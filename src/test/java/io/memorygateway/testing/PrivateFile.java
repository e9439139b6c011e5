package io.memorygateway.testing;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** A file, or a folder, that nobody but its owner can read. */
public final class PrivateFile {
  private static final FileAttribute<Set<PosixFilePermission>> FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final FileAttribute<Set<PosixFilePermission>> FOLDER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private PrivateFile() {}

  /** Writes a file as a whole: who reads it meanwhile finds what was there, or the new content. */
  public static void write(Path file, String content) throws IOException {
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    Files.deleteIfExists(fresh);
    Files.createFile(fresh, FILE);
    Files.writeString(fresh, content);
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Makes a file anew, without content. */
  static void createEmpty(Path file) throws IOException {
    Files.deleteIfExists(file);
    Files.createFile(file, FILE);
  }

  /** Opens a file to write to, which is made if it is not there. */
  static FileChannel open(Path file) throws IOException {
    return FileChannel.open(
        file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), FILE);
  }

  /** Makes a folder with those above it. One that is there stays as it is. */
  public static void createFolder(Path folder) throws IOException {
    Files.createDirectories(folder, FOLDER);
  }
}
