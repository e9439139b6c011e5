package io.memorygateway.format.messages;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.json.JsonValue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Schemas as Anthropic's structured outputs take them, and whether they say all that is asked. */
class MessagesSchemaTest {
  /** Of {@code anyOf}, which is what is taken in its place, a value may fit several. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'type':'string'},{'type':'null'} | true",
        "{'type':['string','null']},{'type':'integer'} | true",
        "{'type':'integer'},{'type':'number'} | false",
        "{'type':'string'},{'const':'a'} | false",
        "{'type':'string'},{'type':'null'},{'type':'string','format':'uri'} | false",
        "{'$ref':'#/$defs/A'},{'type':'null'} | false",
        "%a'const':'x'%b,%a'enum':['y']%b | true",
        "%a'const':'x'%b,%a'enum':['x','y']%b | false",
        "%a'const':'x'%b,%a'const':'x'%b | false",
        "%a'const':'x'%b,{'type':'object','properties':{'k':{'const':'y'}},'additionalProperties':false} | false",
      })
  void oneOfIsWholeWhereNothingFitsTwo(String branches, boolean whole) {
    String schema =
        "{'type':'object','properties':{'p':{'oneOf':[%s]}},'additionalProperties':false}"
            .formatted(
                branches
                    .replace("%a", "{'type':'object','properties':{'k':{")
                    .replace("%b", "}},'required':['k'],'additionalProperties':false}"))
            .replace('\'', '"');

    MessagesSchema taken = new MessagesSchema(JsonValue.of(schema));

    assertThat(taken.toString()).isEqualTo(schema.replace("oneOf", "anyOf"));
    assertThat(taken.isWhole()).isEqualTo(whole);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'allOf':[{'$ref':'#/$defs/A'}],'title':'t' | 'anyOf':[{'$ref':'#/$defs/A'}],'title':'t'",
        "'allOf':[{'type':'string'}],'anyOf':[{'const':'a'}] | 'allOf':[{'type':'string'}],'anyOf':[{'const':'a'}]",
        "'allOf':[{'type':'string'}],'oneOf':[{'const':'a'}] | 'allOf':[{'type':'string'}],'anyOf':[{'const':'a'}]",
        "'allOf':[{'type':'string'},{'const':'a'}] | 'allOf':[{'type':'string'},{'const':'a'}]",
      })
  void allOfOneIsAnyOfIt(String schema, String written) {
    assertThat(new MessagesSchema(json(schema)).toString()).isEqualTo(json(written).raw());
  }

  private static JsonValue json(String members) {
    return JsonValue.of("{" + members.replace('\'', '"') + "}");
  }
}
