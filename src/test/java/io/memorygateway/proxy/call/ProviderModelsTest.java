package io.memorygateway.proxy.call;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProviderModelsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}|",
        "{\"data\":null}|",
        "{\"data\":{\"id\":\"a\"}}|",
        "{\"data\":[{\"id\":\"a\"},1,[{\"id\":\"b\"}],{\"x\":{\"id\":\"c\"},\"id\":\"d\"}],\"id\":\"e\"}|a,d",
        "{\"data\":[{\"id\":1},{\"id\":\" \"},{},{\"id\":\"a\\nb\"}]}|",
        "{\"data\":[{\"id\":\"models/gemini\"}]}|gemini",
      })
  void namesAreTheIdsOfTheList(String answer, String names) throws Exception {
    assertThat(String.join(",", read(answer))).isEqualTo(names == null ? "" : names);
  }

  @Test
  void thereAreAThousandAtMost() throws Exception {
    String many =
        IntStream.range(0, 1200)
            .mapToObj(i -> "{\"id\":\"m" + i + "\"}")
            .collect(Collectors.joining(",", "{\"data\":[", "]}"));

    assertThat(read(many)).hasSize(1000).endsWith("m999");
  }

  @Test
  void aNameThatNoCallCouldHaveIsLeftOut() throws Exception {
    assertThat(read("{\"data\":[{\"id\":\"" + "x".repeat(256) + "\"}]}")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "context_window, 131072, 131072",
    "context_length, 131072, 131072",
    "max_model_len, 131072, 131072",
    "max_input_tokens, -1, 0",
    "max_context_length, 1.5, 0",
    "max_model_len, 9223372036854775807, 0",
    "window, 131072, 0",
  })
  void theWindowIsWhatTheListSays(String member, String said, int window) throws Exception {
    String list = "{\"data\":[{\"id\":\"a\",\"%s\":%s}]}".formatted(member, said);

    assertThat(ProviderModels.read(list.getBytes(UTF_8))).containsExactly(Map.entry("a", window));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "[]", "<html>", "{\"data\":[{\"id\":\"a\"}"})
  void whatIsNoListIsRefused(String answer) {
    assertThatIOException().isThrownBy(() -> read(answer));
  }

  private static List<String> read(String answer) throws Exception {
    return List.copyOf(ProviderModels.read(answer.getBytes(UTF_8)).keySet());
  }
}
