package io.memorygateway.proxy;

import static io.memorygateway.proxy.Attempts.isReplay;
import static io.memorygateway.proxy.Routed.CHAT;
import static io.memorygateway.proxy.Routed.ENDPOINTS;
import static io.memorygateway.proxy.Routed.MESSAGES;
import static io.memorygateway.proxy.Routed.RESPONSES;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.format.Assembled;
import io.memorygateway.format.Format;
import io.memorygateway.format.answer.AnswerAssembler;
import io.memorygateway.format.answer.AnswerReplay;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Contract §7: an answer that is given again to the same call ends as it did. */
class ReplayedEndsIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final Map<String, Format> FORMATS =
      Map.of(
          CHAT, new ChatFormat(), MESSAGES, new MessagesFormat(), RESPONSES, new ResponsesFormat());

  /** What a whole answer that ended before its end says, in single quotes; the first is cut. */
  private static final Map<String, List<String>> ANSWERS =
      Map.of(
          CHAT,
          List.of(
              chat(
                  "'content':null,'tool_calls':[{'id':'c1','type':'function','function':{'name':'read',"
                      + "'arguments':'{\\'path\\':\\'/tm'}}]",
                  "null",
                  "'length'"),
              chat("'content':'No'", "null", "'content_filter'"),
              chat("'content':null", "'No'", "'stop'")),
          MESSAGES,
          List.of(
              messages(
                  "{'type':'tool_use','id':'c1','name':'read','input':'{\\'path\\':\\'/tm'}",
                  "'max_tokens','stop_sequence':null"),
              messages("{'type':'text','text':'No'}", "'stop_sequence','stop_sequence':'END'"),
              messages(
                  "{'type':'text','text':'No'}",
                  "'refusal','stop_sequence':null,'stop_details':{'type':'refusal'}"),
              messages(
                  "{'type':'text','text':'No'}",
                  "'model_context_window_exceeded','stop_sequence':null")),
          RESPONSES,
          List.of(
              responses(
                  "{'id':'i1','type':'function_call','call_id':'c1','name':'read',"
                      + "'arguments':'{\\'path\\':\\'/tm','status':'incomplete'}",
                  "'incomplete','incomplete_details':{'reason':'max_output_tokens'}"),
              responses(
                  "{'id':'i1','type':'message','role':'assistant','status':'incomplete',"
                      + "'content':[{'type':'output_text','text':'No','annotations':[]}]}",
                  "'incomplete','incomplete_details':{'reason':'content_filter'}"),
              responses(
                  "{'id':'i1','type':'message','role':'assistant','status':'completed',"
                      + "'content':[{'type':'refusal','refusal':'No'}]}",
                  "'completed','incomplete_details':null")));

  private static final Map<String, String> CUT =
      Map.of(CHAT, "\"length\"", MESSAGES, "\"max_tokens\"", RESPONSES, "\"max_output_tokens\"");

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM).configured(ReplayedEndsIT::configure);

  @RegisterExtension
  static final TestGateway OTHER_NODE =
      new TestGateway(DATABASE, UPSTREAM).configured(ReplayedEndsIT::configure);

  private String id;
  private Attempts attempts;

  @BeforeEach
  void newThread() {
    id = "ends-" + System.nanoTime();
    attempts = new Attempts(id, Runnable::run);
  }

  private static void configure(ObjectNode config) {
    for (String served : List.of("chat", "messages", "responses")) {
      ObjectNode provider = Routed.provider(config, "only-" + served, UPSTREAM);
      provider.putArray("endpoints").add(served);
      ArrayNode translated = provider.putArray("translate");
      List.of("chat", "messages", "responses").forEach(translated::add);
    }
    config.withObject("/modelAliases").put("nick", "only-messages/asked");
  }

  static Stream<Arguments> calls() {
    return ENDPOINTS.stream()
        .flatMap(
            path ->
                ENDPOINTS.stream()
                    .flatMap(
                        served ->
                            Stream.of(false, true)
                                .map(stream -> Arguments.of(path, served, stream))));
  }

  @ParameterizedTest
  @MethodSource("calls")
  void anAnswerThatWasCutOrRefusedIsNotToldAsWhole(String path, String served, boolean stream)
      throws Exception {
    String model = "only-" + name(served) + "/asked";
    for (String answer : ANSWERS.get(served)) {
      newThread();
      UPSTREAM.enqueue(upstream(served, answer, stream));
      String body = body(path, model, stream);
      HttpResponse<String> first = attempts.send(GATEWAY, path, body, "0");
      HttpResponse<String> again = attempts.send(OTHER_NODE, path, body, "1");
      HttpResponse<String> third = attempts.send(GATEWAY, path, body, "2");

      assertThat(isReplay(again)).as(first.body()).isTrue();
      assertThat(said(path, stream, again))
          .as("%s%n%s", first.body(), again.body())
          .isEqualTo(said(path, stream, first));
      assertThat(said(path, stream, third)).isEqualTo(said(path, stream, first));
      if (answer.equals(ANSWERS.get(served).get(0))) {
        assertThat(again.body()).contains(CUT.get(path));
      }
      assertThat(again.body()).contains("\"told\"").contains("17").doesNotContain("asked");
    }
    assertThat(UPSTREAM.requests()).hasSameSizeAs(ANSWERS.get(served));
  }

  @ParameterizedTest
  @CsvSource({CHAT + ",false", CHAT + ",true", RESPONSES + ",true"})
  void anAliasAnswersByItsName(String path, boolean stream) throws Exception {
    UPSTREAM.enqueue(upstream(MESSAGES, ANSWERS.get(MESSAGES).get(1), stream));
    String body = body(path, "nick", stream);
    HttpResponse<String> first = attempts.send(GATEWAY, path, body, "0");
    HttpResponse<String> again = attempts.send(OTHER_NODE, path, body, "1");

    assertThat(again.body()).contains("\"model\":\"nick\"");
    assertThat(said(path, stream, again)).isEqualTo(said(path, stream, first));
  }

  /** It is too large to be stored with the turns of others. */
  @Tag("heavy")
  @ParameterizedTest
  @MethodSource("calls")
  void ofATurnThatIsStoredAloneTheEndIsTheSame(String path, String served, boolean stream)
      throws Exception {
    UPSTREAM.enqueue(upstream(served, ANSWERS.get(served).get(0), stream));
    String body =
        body(path, "only-" + name(served) + "/asked", stream)
            .replace("Hello?", "long ".repeat(8000));
    HttpResponse<String> first = attempts.send(GATEWAY, path, body, "0");
    HttpResponse<String> again = attempts.send(OTHER_NODE, path, body, "1");

    assertThat(isReplay(again)).isTrue();
    assertThat(said(path, stream, again)).isEqualTo(said(path, stream, first));
  }

  /** What the version before left behind, or never wrote. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"NULL", "REPLACE(call_told, CONCAT(call_end, ' '), CONCAT(call_end - 2, ' '))"})
  void whoseEndIsNotKnownIsCalledAnew(String told) throws Exception {
    String body = body(CHAT, "only-chat/asked", false);
    attempts.send(GATEWAY, CHAT, body, "0");
    update("call_told = " + told);

    assertThat(isReplay(attempts.send(OTHER_NODE, CHAT, body, "1"))).isFalse();
    assertThat(isReplay(attempts.send(GATEWAY, CHAT, body, "2"))).isTrue();

    assertThat(UPSTREAM.requests()).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({"20000, true", "21000, false"})
  void anAnswerWithMoreBesideItsWordsThanIsKeptIsCalledAnew(int length, boolean replayed)
      throws Exception {
    UPSTREAM.enqueue(
        Answer.json(
            ANSWERS
                .get(CHAT)
                .get(0)
                .replace("'usage':{", "'usage':{'x':'" + "\u4e16".repeat(length) + "',")
                .replace('\'', '"')
                .replace("{\\\"path\\\":\\\"/tm", "{}")));
    String body = body(CHAT, "only-chat/asked", false);
    attempts.send(GATEWAY, CHAT, body, "0");

    assertThat(isReplay(attempts.send(OTHER_NODE, CHAT, body, "1"))).isEqualTo(replayed);
  }

  /** Its end is the one that it had; another message changes nothing. */
  @Test
  void anAnswerThatWasChangedIsGivenAsItIs() throws Exception {
    UPSTREAM.enqueue(Answer.json(ANSWERS.get(CHAT).get(1).replace('\'', '"')));
    String body = body(CHAT, "only-chat/asked", false);
    JsonNode first = JSON.readTree(attempts.send(GATEWAY, CHAT, body, "0").body());
    JsonNode rows = new ThreadCaller(GATEWAY, id).rows();
    patch(rows.get(0).path("id").asText(), "Hello!");

    assertThat(JSON.readTree(attempts.send(OTHER_NODE, CHAT, body, "1").body()).path("usage"))
        .isEqualTo(first.path("usage"));
    patch(rows.get(1).path("id").asText(), "Removed");
    JsonNode again = JSON.readTree(attempts.send(OTHER_NODE, CHAT, body, "2").body());

    assertThat(again.at("/choices/0/message/content").asText()).isEqualTo("Removed");
    assertThat(again.at("/choices/0/finish_reason").asText()).isEqualTo("content_filter");
    assertThat(UPSTREAM.requests()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({CHAT, MESSAGES, RESPONSES})
  void aStreamThatBrokeOffIsNeverTheAnswer(String path) throws Exception {
    List<String> events = events(path, ANSWERS.get(path).get(0));
    UPSTREAM.enqueue(Answer.sseThen(events.subList(0, events.size() / 2), Answer.reset()));
    String body = body(path, "only-" + name(path) + "/asked", true);
    attempts.make(GATEWAY, path, body, "0");

    assertThat(isReplay(attempts.send(OTHER_NODE, path, body, "1"))).isFalse();
    assertThat(UPSTREAM.requests()).hasSize(2);
  }

  /** An answer as its format reads it: the messages, and all that stands beside them. */
  private static List<Object> said(String path, boolean stream, HttpResponse<String> answer)
      throws Exception {
    Format format = FORMATS.get(path);
    byte[] bytes = answer.body().getBytes(UTF_8);
    if (!stream) {
      return List.of(
          JSON.readTree(format.replay().metadata(bytes, true)), contents(format.answer(bytes)));
    }
    AnswerAssembler read = Assembled.feedAsIs(format, answer.body(), 1 << 20, Assembled.ENOUGH);
    return List.of(JSON.readTree(read.metadata()), contents(read.messages()));
  }

  private static List<JsonNode> contents(List<StoredMessage> messages) throws Exception {
    List<JsonNode> contents = new ArrayList<>();
    for (StoredMessage message : messages) {
      contents.add(JSON.readTree(message.content()));
    }
    return contents;
  }

  private static Answer upstream(String served, String answer, boolean stream) throws Exception {
    return stream ? Answer.sse(events(served, answer)) : Answer.json(quoted(answer));
  }

  private static List<String> events(String served, String answer) throws Exception {
    byte[] whole = quoted(answer).getBytes(UTF_8);
    Format format = FORMATS.get(served);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    AnswerReplay replay = format.replay();
    replay.stream(
        new AnswerReplay.Answered(replay.metadata(whole, true), format.answer(whole)), out);
    return Stream.of(out.toString(UTF_8).split("(?<=\n\n)", -1))
        .filter(event -> !event.isEmpty())
        .toList();
  }

  private static String chat(String message, String refusal, String reason) {
    return """
    {'id':'c','object':'chat.completion','created':7,'model':'told','service_tier':'flex','choices':[{'index':0,
    'message':{'role':'assistant',%s,'refusal':%s},'finish_reason':%s}],'usage':{'prompt_tokens':17,'completion_tokens':17,'total_tokens':34}}
    """
        .formatted(message, refusal, reason);
  }

  private static String messages(String block, String reason) {
    return """
    {'id':'msg_1','type':'message','role':'assistant','model':'told','content':[%s],'stop_reason':%s,
    'usage':{'input_tokens':17,'output_tokens':17}}
    """
        .formatted(block, reason);
  }

  private static String responses(String item, String status) {
    return """
    {'id':'resp_1','object':'response','created_at':7,'model':'told','output':[%s],'status':%s,'error':null,
    'usage':{'input_tokens':17,'input_tokens_details':{'cached_tokens':0},'output_tokens':17,
    'output_tokens_details':{'reasoning_tokens':0},'total_tokens':34}}
    """
        .formatted(item, status);
  }

  private static String quoted(String answer) {
    return answer.replace('\'', '"');
  }

  private static String body(String path, String model, boolean stream) {
    return Routed.body(path, model, stream);
  }

  private static String name(String path) {
    return path.equals(CHAT) ? "chat" : path.substring("/v1/".length());
  }

  private void patch(String message, String text) throws Exception {
    HttpResponse<String> patched =
        GATEWAY.send(
            GATEWAY
                .request("/v1/memory/threads/" + id + "/messages/" + message)
                .header("Content-Type", "application/json")
                .method(
                    "PATCH",
                    HttpRequest.BodyPublishers.ofString("{\"content\":\"" + text + "\"}")));
    assertThat(patched.statusCode()).as(patched.body()).isEqualTo(200);
  }

  private void update(String set) {
    DATABASE
        .jdbi()
        .useHandle(
            handle ->
                handle.execute("UPDATE thread_heads SET " + set + " WHERE public_id = ?", id));
  }
}
