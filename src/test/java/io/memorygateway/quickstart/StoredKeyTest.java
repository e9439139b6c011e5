package io.memorygateway.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoredKeyTest {
  @TempDir Path folder;

  @Test
  void isForItsOwnerAlone() throws Exception {
    StoredKey key = StoredKey.in(folder, null);
    assertThat(key.read()).isEmpty();
    key.write("msk_1");
    key.write("msk_2");
    assertThat(key.read()).contains("msk_2");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key.file())))
        .isEqualTo("rw-------");
    assertThat(folder.toFile().list()).containsExactly("key");
  }

  @Test
  void isAnotherForAnotherDatabase() {
    StoredKey embedded = StoredKey.in(folder, null);
    StoredKey one = StoredKey.in(folder, "jdbc:mysql://a/gateway?x=y");
    assertThat(one).isEqualTo(StoredKey.in(folder, "jdbc:mysql://a/gateway"));
    assertThat(one).isNotEqualTo(StoredKey.in(folder, "jdbc:mysql://b/gateway"));
    assertThat(one).isNotEqualTo(embedded);
  }
}
