package io.memorygateway.format.translation;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.json.JsonValue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the strict outputs of OpenAI take, by their documents. */
class StrictSchemaTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'a':{'type':'string'} | true",
        "'a':{'anyOf':[{'type':'string'},{'type':'null'}]} | true",
        "'a':{'oneOf':[{'type':'string'},{'type':'null'}]} | false",
        "'a':{'allOf':[{'type':'string'}]} | false",
        "'a':{'type':'array','items':{'not':{'type':'null'}}} | false",
        "'a':{'anyOf':[{'if':{},'then':{}}]} | false",
        "'a':{'type':'object','properties':{},'additionalProperties':false,'dependentRequired':{}} | false",
        "'not':{'type':'string'} | true",
        "'properties':{'type':'string'} | true",
        "'items':{'oneOf':[]} | false",
      })
  void whatIsRefusedIsNotTaken(String property, boolean taken) {
    String name = property.substring(0, property.indexOf(':'));
    String schema =
        "{'type':'object','properties':{%s},'required':[%s],'additionalProperties':false}"
            .formatted(property, name)
            .replace('\'', '"');

    assertThat(StrictSchema.isClosed(JsonValue.of(schema))).isEqualTo(taken);
  }
}
