package io.memorygateway.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.http.api.ResponseHeader;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The document that the gateway serves is what its resources and their descriptions make. */
class OpenApiDocumentTest {
  @Test
  void theFileIsWhatTheResourcesMake() throws Exception {
    List<Class<?>> resources =
        ResourceClasses.below("io.memorygateway").stream()
            .filter(type -> !type.getPackageName().equals("io.memorygateway.console"))
            // Not part of the API.
            .filter(type -> type != DocsResource.class)
            .toList();
    JsonNode made = OpenApiDocument.of(resources);

    assertThat(made.at("/components/headers").fieldNames())
        .toIterable()
        .containsExactlyElementsOf(
            Arrays.stream(ResponseHeader.values()).map(ResponseHeader::headerName).toList());
    DocumentFile.compare(made, "openapi.json");
  }
}
