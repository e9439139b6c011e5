package io.memorygateway.proxy;

import static io.memorygateway.proxy.ThreadCaller.CHAT;
import static io.memorygateway.proxy.ThreadCaller.MESSAGES;
import static io.memorygateway.proxy.ThreadCaller.RESPONSES;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.SharedGateway;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §5: turns and the memory API tell the type of a message by the same rules. */
class MessageTypesIT {
  private static final AtomicInteger THREADS = new AtomicInteger();
  private static final ObjectMapper JSON = new ObjectMapper();

  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway(UPSTREAM);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "chat | text | {'role':'user','content':'hi','name':'bob'}",
        "chat | tool-call | {'role':'assistant','content':null,'tool_calls':[{'id':'c','type':"
            + "'function','function':{'name':'f','arguments':'{}'}}]}",
        "chat | mixed | {'role':'assistant','content':'one moment','tool_calls':[{'id':'c','type':"
            + "'function','function':{'name':'f','arguments':'{}'}}]}",
        "chat | tool-result | {'role':'tool','tool_call_id':'c','content':'sunny'}",
        "chat | text | {'role':'assistant','content':null,'refusal':'no'}",
        "chat | image | {'role':'user','content':[{'type':'image_url','image_url':{'url':'x'}}]}",
        "chat | mixed | {'role':'user','content':[{'type':'text','text':'a'},"
            + "{'type':'image_url','image_url':{'url':'x'}}]}",
        "chat | text | {'role':'user','content':{'format':2,'parts':[{'type':'text','text':'a'}]}}",
        "chat | tool-call | {'role':'assistant','content':[{'type':'tool-invocation',"
            + "'toolInvocation':{'toolCallId':'c','toolName':'f','args':{},'state':'call'}}]}",
        "chat | tool-call | {'role':'assistant','content':[{'type':'tool-weather',"
            + "'toolCallId':'c','input':{}}]}",
        "messages | tool-call | {'role':'assistant','content':[{'type':'tool_use','id':'c',"
            + "'name':'f','input':{}}]}",
        "messages | mixed | {'role':'assistant','content':[{'type':'server_tool_use','id':'c',"
            + "'name':'web_search','input':{}}]}",
        "messages | tool-result | {'role':'user','content':[{'type':'tool_result',"
            + "'tool_use_id':'c','content':'sunny'}]}",
        "messages | reasoning | {'role':'assistant','content':[{'type':'thinking','thinking':'hm',"
            + "'signature':'s'}]}",
        "messages | mixed | {'role':'user','content':[{'type':'document','source':{'type':'text',"
            + "'media_type':'text/plain','data':'x'}}]}",
        "responses | tool-call | {'type':'function_call','call_id':'c','name':'f','arguments':''}",
        "responses | tool-result | {'type':'function_call_output','call_id':'c','output':'1'}",
        "responses | tool-call | {'type':'custom_tool_call','call_id':'c','name':'f','input':'x'}",
        "responses | tool-result | {'type':'custom_tool_call_output','call_id':'c','output':'1'}",
        "responses | text | {'type':'message','role':'assistant','content':[{'type':'output_text',"
            + "'text':'a','annotations':[]}]}",
        "responses | reasoning | {'type':'reasoning','id':'rs_1','summary':[]}",
      })
  void aThreadThatIsReadOutAndPostedAgainKeepsItsTypes(String endpoint, String type, String message)
      throws Exception {
    UPSTREAM.takingAll("each is the only message of its call");
    String name = "types-" + THREADS.incrementAndGet();
    ThreadCaller thread = new ThreadCaller(GATEWAY, name);
    String sent = message.replace('\'', '"');
    HttpResponse<String> turn =
        switch (endpoint) {
          case "chat" -> thread.call(CHAT, "{\"model\":\"gpt-5\",\"messages\":[" + sent + "]}");
          case "messages" ->
              thread.call(
                  MESSAGES,
                  "{\"model\":\"claude-x\",\"max_tokens\":9,\"messages\":[" + sent + "]}");
          default -> thread.call(RESPONSES, "{\"model\":\"gpt-5\",\"input\":[" + sent + "]}");
        };
    assertThat(turn.statusCode()).as(turn.body()).isEqualTo(200);
    JsonNode read = thread.rows();
    assertThat(read.get(0).path("type").asText()).isEqualTo(type);

    ObjectNode body = JSON.createObjectNode();
    ArrayNode messages = body.putArray("messages");
    for (JsonNode row : read) {
      messages
          .addObject()
          .put("role", row.path("role").asText())
          .set("content", row.get("content"));
    }
    post("/v1/memory/threads", "{\"id\":\"%s-again\",\"resourceId\":\"user-1\"}".formatted(name));
    post("/v1/memory/threads/%s-again/messages".formatted(name), body.toString());
    JsonNode again = new ThreadCaller(GATEWAY, name + "-again").rows();
    assertThat(again.findValuesAsText("type")).isEqualTo(read.findValuesAsText("type"));
    assertThat(again.findValues("content")).isEqualTo(read.findValues("content"));

    // What is changed is told from its new content likewise.
    String id = again.get(0).path("id").asText();
    String path = "/v1/memory/threads/%s-again/messages/%s".formatted(name, id);
    send("PATCH", path, "{\"content\":\"x\"}");
    ObjectNode change = JSON.createObjectNode();
    change.set("content", read.get(0).get("content"));
    assertThat(JSON.readTree(send("PATCH", path, change.toString())).at("/message/type").asText())
        .isEqualTo(type);
  }

  private static void post(String path, String json) throws Exception {
    send("POST", path, json);
  }

  private static String send(String method, String path, String json) throws Exception {
    HttpResponse<String> answer =
        GATEWAY.send(
            GATEWAY
                .request(path)
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(json)));
    assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 201);
    return answer.body();
  }
}
