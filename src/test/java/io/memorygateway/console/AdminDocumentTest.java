package io.memorygateway.console;

import io.memorygateway.openapi.DocumentFile;
import io.memorygateway.openapi.ResourceClasses;
import org.junit.jupiter.api.Test;

/** The document of the admin API is what its resources and their descriptions make. */
class AdminDocumentTest {
  @Test
  void theFileIsWhatTheResourcesMake() throws Exception {
    DocumentFile.compare(
        AdminDocument.of(ResourceClasses.below("io.memorygateway.console")), "admin-openapi.json");
  }
}
