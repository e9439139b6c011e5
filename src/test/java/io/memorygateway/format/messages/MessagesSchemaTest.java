package io.memorygateway.format.messages;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.json.JsonValue;
import org.junit.jupiter.api.Test;
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

  /** Anthropic's structured outputs take no schema of a tree, nor one that stands elsewhere. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'items':{'$ref':'#/$defs/A'},'$defs':{'A':{'items':{'$ref':'#/$defs/A'}}} | false",
        "'items':{'$ref':'#/$defs/A'},'$defs':{'A':{'anyOf':[{'$ref':'#/$defs/B'}]},'B':{'properties':{'a':{'$ref':'#/$defs/A'}}}} | false",
        "'properties':{'a':{'$ref':'#'}} | false",
        "'properties':{'a':{'items':{'$ref':'#/properties/a'}}} | false",
        "'items':{'$ref':'https://e.org/a'} | false",
        "'items':{'$ref':'#/$defs/none'} | false",
        "'items':{'$ref':'#$defs/A'},'$defs':{'A':{'type':'null'}} | false",
        "'properties':{'n':{'anyOf':[{'items':{'$ref':'#/properties/n/anyOf/0'}}]}} | false",
        "'items':{'$ref':'#/$defs/a~1b'},'$defs':{'a/b':{'items':{'$ref':'#/$defs/a~1b'}}} | false",
        "'items':{'$ref':'#/$defs/a~1b'},'$defs':{'a/b':{'type':'null'}} | true",
        "'anyOf':[{'$ref':'#/$defs/A'},{'$ref':'#/$defs/A'}],'$defs':{'A':{'items':{'$ref':'#/$defs/B'}},'B':{'type':'null'}} | true",
        "'properties':{'$ref':{'type':'string'}} | true",
        "'type':'null','$defs':{'A':{'items':{'$ref':'#/$defs/A'}}} | true",
      })
  void isTakenWhereNoReferenceLeadsBackToItself(String schema, boolean taken) {
    assertThat(new MessagesSchema(json(schema)).isTakable()).isEqualTo(taken);
  }

  @Test
  void schemasOneInAnotherAreFollowedUpToABound() {
    StringBuilder schemas = new StringBuilder("'items':{'$ref':'#/$defs/a0'},'$defs':{");
    for (int i = 0; i < 60; i++) {
      schemas.append(
          "'a%d':%s{'$ref':'#/$defs/a%d'}%s,"
              .formatted(i, "{'items':".repeat(400), i + 1, "}".repeat(400)));
    }
    assertThat(new MessagesSchema(json(schemas + "'a60':{}}")).isTakable()).isFalse();
  }

  @Test
  void referencesAreFollowedUpToABound() {
    StringBuilder schemas = new StringBuilder("'items':{'$ref':'#/$defs/a0'},'$defs':{");
    for (int i = 0; i < 100_000; i++) {
      schemas.append("'a%d':{'items':{'$ref':'#/$defs/a%d'}},".formatted(i, i + 1));
    }
    assertThat(new MessagesSchema(json(schemas + "'end':{}}")).isTakable()).isFalse();
  }

  private static JsonValue json(String members) {
    return JsonValue.of("{" + members.replace('\'', '"') + "}");
  }
}
