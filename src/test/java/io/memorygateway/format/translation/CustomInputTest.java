package io.memorygateway.format.translation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Texts of calls of custom tools, which models without such tools put in an object. */
class CustomInputTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'input':'a b'} | a b",
        "{'input':'a','why':'b'} | a",
        "{'patch':'a'} | a",
        "{'input':''} | ``",
        "{} | ``",
        "'a' | a",
        "*** Begin | *** Begin",
        "{'input':'cut | {'input':'cut",
        "{'a':'1','b':'2'} | {'a':'1','b':'2'}",
        "{'command':['ls']} | {'command':['ls']}",
      })
  void isWhatTheModelMeant(String arguments, String input) {
    assertThat(Tool.Custom.input(arguments.replace('\'', '"'))).isEqualTo(input.replace('\'', '"'));
  }
}
