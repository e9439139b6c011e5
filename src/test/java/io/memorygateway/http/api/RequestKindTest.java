package io.memorygateway.http.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestKindTest {
  @ParameterizedTest
  @CsvSource({
    "POST,   v1/chat/completions,          LLM",
    "POST,   /v1/messages/,                LLM",
    "GET,    /v1/responses;x=y,            LLM",
    "POST,   /v1/messages/count_tokens,    OTHER",
    "GET,    /v1/models,                   OTHER",
    "GET,    /v1/memory,                   MEMORY_READ",
    "HEAD,   v1/memory/threads/a/b,        MEMORY_READ",
    "GET,    /v1;a=b/memory;c/threads,     MEMORY_READ",
    "POST,   /v1/memory/search,            MEMORY_READ",
    "POST,   v1/memory/search/,            MEMORY_READ",
    "DELETE, /v1/memory/search,            MEMORY_WRITE",
    "OPTIONS, /v1/memory/search,           MEMORY_WRITE",
    "HEAD,   /v1/memory/search,            MEMORY_READ",
    "POST,   /v1/memory/searches,          MEMORY_WRITE",
    "PUT,    /v1/memory/threads,           MEMORY_WRITE",
    "PATCH,  /v1/memory/,                  MEMORY_WRITE",
    "GET,    /v1/memoryless,               OTHER",
    "GET,    /v2/memory/threads,           OTHER",
    "GET,    /,                            OTHER",
    "GET,    '',                           OTHER",
  })
  void aRequestIsCountedByItsMethodAndPath(String method, String path, RequestKind kind) {
    assertThat(RequestKind.of(method, path)).isEqualTo(kind);
  }
}
