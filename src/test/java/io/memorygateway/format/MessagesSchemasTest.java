package io.memorygateway.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.translation.OutputFormat;
import io.memorygateway.format.translation.Tool;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Schemas of tools and of answers in calls that are written as calls of Messages. */
class MessagesSchemasTest extends CallOfMessages {
  @Test
  void reducesSchemasToWhatIsTaken() throws Exception {
    tools.add(
        new Tool.Function(
            "f",
            "d",
            json(
                "{'$schema':'s','anyOf':[{'properties':{'a':{},'b':{}},'required':['a','b']},"
                    + "{'properties':{'a':{},'c':{}},'required':['a']}],'required':['z']}"),
            true,
            null));
    tools.add(new Tool.Function("g", null, json("{'properties':{}}"), false, null));
    tools.add(
        new Tool.Custom(
            "patch",
            "Patches.",
            json("{'type':'grammar','syntax':'lark','definition':'start: x'}")));

    assertThat(chat(ASKED).write())
        .contains(
            "'input_schema':{'type':'object','properties':{'a':{},'b':{},'c':{}},"
                + "'required':['z','a'],'$schema':'s'}}")
        .contains("{'name':'g','input_schema':{'type':'object','properties':{}}}")
        .contains("Patches.\\n\\nThe input must follow this grammar (lark):\\nstart: x")
        .contains("'properties':{'input':{'type':'string'}},'required':['input']");
    assertThat(dropped.names()).containsExactly("tools.strict");
  }

  @Test
  void asksForStrictToolsWhereTheirSchemasAreTaken() throws Exception {
    String closed =
        "{'type':'object','properties':{'a':{'type':'string','format':'uri'}},'required':[],"
            + "'additionalProperties':false";
    tools.add(
        new Tool.Function(
            "f", null, json("{'$schema':'s'," + closed.substring(1) + "}"), true, null));
    assertThat(chat(ASKED).write())
        .contains("{'name':'f','input_schema':" + closed + "},'strict':true}");
    assertThat(dropped.names()).isEmpty();

    tools.set(
        0,
        new Tool.Function(
            "f", null, json(closed.replace("'format':'uri'", "'maxLength':10") + "}"), true, null));
    assertThat(write()).contains("'maxLength':10").doesNotContain("'strict'");
    assertThat(dropped.names()).containsExactly("tools.strict");
    // One object with the properties of all alternatives is less than is asked for.
    tools.set(
        0,
        new Tool.Function("f", null, json(closed + ",'oneOf':[{'required':['a']}]}"), true, null));
    assertThat(write()).doesNotContain("'strict'", "oneOf");
  }

  @Test
  void asksForAFormOfTheAnswer() throws Exception {
    chat(ASKED);
    String schema = "{'type':'object','properties':{},'additionalProperties':false}";
    output = new OutputFormat(json(schema), "n", null, true);
    assertThat(write())
        .contains("'output_config':{'format':{'type':'json_schema','schema':" + schema + "}}");
    assertThat(dropped.names()).isEmpty();
    for (String any :
        List.of("{'type':'object'}", "{}", "{'type':'object','additionalProperties':{}}")) {
      output = new OutputFormat(json(any), "n", null, true);
      assertThat(write()).doesNotContain("output_config");
    }
    output = OutputFormat.JSON;
    assertThat(write()).doesNotContain("output_config");
    assertThat(dropped.names()).containsExactly("output_config.format");
  }

  /** Closed, they could not be fitted: neither has the members of the other. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "'allOf':[{'$ref':'#/$defs/A'},{'type':'object','properties':{'b':{}}}]",
        "'type':'object','properties':{'k':{}},'allOf':[{'properties':{'b':{}}}]",
        "'type':'object','properties':{'k':{}},'oneOf':[{'properties':{'b':{}}},{'type':'null'}]",
        "'type':'array','items':{'properties':{'k':{}},'anyOf':[{'$ref':'#/$defs/A'}]}",
      })
  void aFormOfObjectsThatFitTogetherIsNamed(String schema) throws Exception {
    chat(ASKED);
    output = new OutputFormat(json("{" + schema + "}"), "n", null, true);
    assertThat(write()).doesNotContain("output_config");
    assertThat(dropped.names()).containsExactly("output_config.format");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'allOf':[{'$ref':'#/$defs/A'}],'description':'d','$defs':{'A':{'type':'null'}}",
        "'anyOf':[{'$ref':'#/$defs/A'},{'properties':{'b':{}}}],'$defs':{'A':{'type':'null'}}",
        "'type':'object','properties':{'k':{}},'anyOf':[{'required':['k']}]",
      })
  void aFormOfOneObjectAtATimeIsAskedFor(String schema) throws Exception {
    chat(ASKED);
    output = new OutputFormat(json("{" + schema + "}"), "n", null, true);
    // References are not taken in allOf.
    assertThat(write()).contains("output_config").doesNotContain("allOf");
    assertThat(dropped.names()).isEmpty();
  }

  @Test
  void saysInWordsToWhatOfAFormNoModelIsHeld() throws Exception {
    chat(ASKED);
    output =
        new OutputFormat(
            json(
                "{'$schema':'s','$defs':{'P':{'type':'object','properties':{'m':{'type':'object',"
                    + "'additionalProperties':{'type':'string'}}}}},'type':'object','properties':{"
                    + "'name':{'type':'string','maxLength':10,'description':'Who','pattern':'^a'},"
                    + "'n':{'type':'integer','minimum':0,'maximum':1e1},"
                    + "'tags':{'type':'array','items':{'type':'string','format':'hex'},'minItems':2},"
                    + "'one':{'type':'array','minItems':1},'e':{'enum':['a',1,null]},"
                    + "'p':{'oneOf':[{'$ref':'#/$defs/P'},{'type':['null','string']}]},"
                    + "'maximum':true},'required':['n']}"),
            "n",
            null,
            true);
    assertThat(write())
        .contains(
            "'schema':{'$defs':{'P':{'type':'object','properties':{'m':{'type':'object',"
                + "'additionalProperties':false}},'additionalProperties':false}},'type':'object',"
                + "'properties':{"
                + "'name':{'type':'string','description':'Who\\n\\n{maxLength: 10, pattern: \\'^a\\'}'},"
                + "'n':{'type':'integer','description':'{minimum: 0, maximum: 1e1}'},"
                + "'tags':{'type':'array','items':{'type':'string','description':'{format: \\'hex\\'}'},"
                + "'description':'{minItems: 2}'},"
                + "'one':{'type':'array','minItems':1},'e':{'enum':['a',1,null]},"
                + "'p':{'anyOf':[{'$ref':'#/$defs/P'},{'type':['null','string']}]},"
                + "'maximum':true},'required':['n'],'additionalProperties':false}");
    assertThat(dropped.names()).containsExactly("output_config.format.additionalProperties");
  }
}
