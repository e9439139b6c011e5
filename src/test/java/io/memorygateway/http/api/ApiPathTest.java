package io.memorygateway.http.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ApiPathTest {
  @Test
  void everyPathIsFoundByItself() {
    for (ApiPath path : ApiPath.values()) {
      assertThat(ApiPath.of(path.path())).isEqualTo(path);
      assertThat(ApiPath.of(path.path() + "/")).isEqualTo(path);
      assertThat(ApiPath.of(path.path().substring(1) + ";a=b")).isEqualTo(path);
      assertThat(path.path()).isEqualTo("/v1" + path.suffix());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/memory/threads/t, MEMORY",
    "/v1/memory/unknown, MEMORY",
    "/v1/models/openai/gpt-5, MODELS",
    "/v1/messages/batches/b, MESSAGE_BATCHES",
    "/v1/files/f/content, FILES",
    "/v1;x/memory;y/threads, MEMORY",
  })
  void whatIsBelowModelsAndMemoryBelongsToThem(String path, ApiPath expected) {
    assertThat(ApiPath.of(path)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/",
        "/v1",
        "/v1/memoryx",
        "/v1/modelsx",
        "/v2/memory",
        "/v1/messages/batch",
        "/v1/chat",
        "/V1/memory",
        "/v1//memory"
      })
  void everyOtherPathIsUnknown(String path) {
    assertThat(ApiPath.of(path)).isNull();
  }
}
