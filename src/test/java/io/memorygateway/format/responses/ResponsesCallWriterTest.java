package io.memorygateway.format.responses;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.ProviderTraits;
import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.format.translation.Dropped;
import io.memorygateway.format.translation.Request;
import io.memorygateway.format.translation.Terms;
import io.memorygateway.format.translation.Tool;
import io.memorygateway.format.translation.ToolChoice;
import io.memorygateway.json.JsonValue;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls of other formats, written as calls of Responses. */
class ResponsesCallWriterTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ResponsesTranslator translator = new ResponsesTranslator();
  private final Dropped dropped = new Dropped();

  @Test
  void aCallOfMessagesIsWrittenInTheWordsOfResponses() throws Exception {
    String marked =
        "[{\"type\":\"text\",\"text\":\"S\",\"cache_control\":{\"type\":\"ephemeral\"}}]";
    Request request =
        new Request(
            List.of(
                said("system", marked),
                said(
                    "user",
                    "[{\"type\":\"text\",\"text\":\"Hi\"},{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"iVBORw0KGgo=\"}}]"),
                said(
                    "assistant",
                    "[{\"type\":\"text\",\"text\":\"On it\"},{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"run\",\"input\":{\"a\":1}}]"),
                said(
                    "user",
                    "[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"is_error\":true,\"content\":[{\"type\":\"text\",\"text\":\"no\"}]}]"),
                said("system", "\"Later\"")),
            List.of(
                new Tool.Function(
                    "run",
                    "Runs",
                    JsonValue.of(
                        "{\"anyOf\":[{\"properties\":{\"a\":{\"type\":\"integer\"}}}],\"$schema\":\"x\"}"),
                    null,
                    null),
                new Tool.Hosted("web_search", JsonValue.of("{}"))),
            ToolChoice.of(ToolChoice.Mode.REQUIRED),
            false,
            null,
            null,
            3000L,
            4L,
            List.of(),
            "u".repeat(100),
            true,
            Map.of("top_k", new Request.Shared("top_k", JsonValue.of("5"))));

    JsonNode body = write(request);

    assertEquals(
        JSON.readTree(
            """
            {"model":"gpt-5.6-sol","input":[
              {"role":"system","content":[{"type":"input_text","text":"S","prompt_cache_breakpoint":{"mode":"explicit"}}]},
              {"role":"user","content":[{"type":"input_text","text":"Hi"},{"type":"input_image","image_url":"%s","detail":"auto"}]},
              {"role":"assistant","content":[{"type":"output_text","text":"On it"}]},
              {"type":"function_call","call_id":"t1","name":"run","arguments":"{\\"a\\":1}"},
              {"type":"function_call_output","call_id":"t1","output":"Error: no"},
              {"role":"system","content":[{"type":"input_text","text":"Later"}]}],
             "tools":[{"type":"function","name":"run","description":"Runs","parameters":{"type":"object","properties":{"a":{"type":"integer"}},"$schema":"x"},"strict":false}],
             "tool_choice":"required","parallel_tool_calls":false,"reasoning":{"effort":"medium","summary":"auto"},
             "include":["reasoning.encrypted_content"],"max_output_tokens":16,"store":false,"prompt_cache_key":"key","stream":true}
            """
                .formatted("data:image/png;base64,iVBORw0KGgo=")),
        ((ObjectNode) body.deepCopy()).without("user"));
    assertEquals(64, body.path("user").asText().length());
    assertEquals("tools.web_search, top_k", dropped.header());
  }

  @Test
  void leadingWordsOfTheSystemAreTheInstructions() throws Exception {
    JsonNode body =
        write(request(said("system", "\"A\""), said("system", "\"B\""), said("user", "\"C\"")));

    assertEquals("A\n\nB", body.path("instructions").asText());
    assertEquals(1, body.path("input").size());
  }

  @Test
  void reasoningOfResponsesStandsBeforeWhatFollowedFromIt() throws Exception {
    String item =
        "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[],\"encrypted_content\":\"e\"}";
    Utterance thinks =
        Utterance.of(
            "assistant",
            List.of(
                new Part.Reasoning(JsonValue.of(item), Shape.RESPONSES),
                new Part.Text(JsonValue.of("\"So\""), Shape.PLAIN, "So")));

    JsonNode input = write(request(said("user", "\"C\""), thinks)).path("input");

    assertEquals(JSON.readTree(item), input.path(1));
    assertEquals("So", input.path(2).at("/content/0/text").asText());
  }

  @Test
  void customToolsOfChatStayCustom() throws Exception {
    Request base =
        request(
            said("user", "\"C\""),
            said(
                "assistant",
                "{\"content\":null,\"tool_calls\":[{\"id\":\"c1\",\"type\":\"custom\",\"custom\":{\"name\":\"patch\",\"input\":\"*** Begin\"}}]}"),
            said("tool", "{\"tool_call_id\":\"c1\",\"content\":\"done\"}"));
    Tool custom =
        new Tool.Custom(
            "patch",
            null,
            JsonValue.of(
                "{\"type\":\"grammar\",\"grammar\":{\"syntax\":\"lark\",\"definition\":\"d\"}}"));

    JsonNode body = write(withTools(base, custom));

    assertEquals("*** Begin", body.at("/input/1/input").asText());
    assertEquals("custom_tool_call_output", body.at("/input/2/type").asText());
    assertEquals(
        JSON.readTree("{\"type\":\"grammar\",\"syntax\":\"lark\",\"definition\":\"d\"}"),
        body.at("/tools/0/format"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "\"x\"", "[null]", "{\"type\":\"lark\"}"})
  void aGrammarThatSaysNothingIsLeftToTheProvider(String grammar) throws Exception {
    Tool custom =
        new Tool.Custom(
            "c", null, JsonValue.of("{\"type\":\"grammar\",\"grammar\":" + grammar + "}"));

    JsonNode body = write(withTools(request(said("user", "\"C\"")), custom));

    assertEquals(JSON.readTree("{\"type\":\"grammar\"}"), body.at("/tools/0/format"));
  }

  @Test
  void strictIsSaidOnlyOfSchemasThatAreClosed() throws Exception {
    String closed =
        "{\"type\":\"object\",\"properties\":{\"a\":{}},\"required\":[\"a\"],\"additionalProperties\":false}";
    String open = "{\"type\":\"object\",\"properties\":{\"a\":{}},\"required\":[]}";

    JsonNode tools =
        write(
                withTools(
                    request(said("user", "\"C\"")),
                    new Tool.Function("a", null, JsonValue.of(closed), true, null),
                    new Tool.Function("b", null, JsonValue.of(open), true, null),
                    new Tool.Function(
                        "c",
                        null,
                        JsonValue.of(closed.replace("{}", "{\"oneOf\":[]}")),
                        true,
                        null)))
            .path("tools");

    assertTrue(tools.path(0).path("strict").asBoolean());
    assertEquals("false", tools.path(1).path("strict").toString());
    assertEquals("false", tools.path(2).path("strict").toString());
    assertEquals("tools.strict", dropped.header());
  }

  @Test
  void resultsOfSeveralPartsStayWholeAndInOrder() throws Exception {
    JsonNode body =
        write(
            request(
                said(
                    "user",
                    "[{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":[{\"type\":\"text\",\"text\":\"one\"},{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"https://a\"}},{\"type\":\"text\",\"text\":\"two\"}]}]")));

    assertEquals("one", body.at("/input/0/output/0/text").asText());
    assertEquals("https://a", body.at("/input/0/output/1/image_url").asText());
    assertEquals("two", body.at("/input/0/output/2/text").asText());
  }

  @Test
  void stopsAreRefused() {
    Request stops =
        new Request(
            List.of(),
            List.of(),
            null,
            null,
            null,
            null,
            null,
            null,
            List.of("x"),
            null,
            false,
            Map.of());
    assertThrows(MalformedBodyException.class, () -> write(stops));
  }

  private JsonNode write(Request request) throws MalformedBodyException, JsonProcessingException {
    byte[] json = translator.write(request, terms(), translator, dropped);
    return JSON.readTree(new String(json, UTF_8));
  }

  static Terms terms() {
    return new Terms(
        new UpstreamModel("gpt-5.6-sol", ProviderTraits.ALL, 0),
        "maker",
        8192,
        "max_tokens",
        false,
        "key");
  }

  private static Utterance said(String role, String content) {
    return Utterance.of(role, StoredMessage.of(role, content).utterance().parts());
  }

  private static Request request(Utterance... messages) {
    return new Request(
        List.of(messages),
        List.of(),
        null,
        null,
        null,
        null,
        null,
        null,
        List.of(),
        null,
        false,
        Map.of());
  }

  private static Request withTools(Request request, Tool... tools) {
    return new Request(
        request.messages(),
        List.of(tools),
        null,
        null,
        null,
        null,
        null,
        null,
        List.of(),
        null,
        false,
        Map.of());
  }
}
