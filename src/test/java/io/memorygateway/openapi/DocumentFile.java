package io.memorygateway.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files in {@code src/docs} that hold an OpenAPI document. */
public final class DocumentFile {
  private DocumentFile() {}

  /** Compares a document with its file, and writes it where it can be copied from. */
  public static void compare(JsonNode made, String name) throws IOException {
    Path built = Path.of("target", name);
    Files.writeString(built, made.toPrettyString() + "\n");
    assertThat(Files.readString(Path.of("src", "docs", name)))
        .as("src/docs/%1$s; renew it: cp target/%1$s src/docs/%1$s", name)
        .isEqualTo(Files.readString(built));
  }
}
