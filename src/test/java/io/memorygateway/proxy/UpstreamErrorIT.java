package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.SharedGateway;
import io.memorygateway.testing.TestGateway;
import io.memorygateway.testing.TestTimeout;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §3: error answers of upstreams, whatever their shape, come in the one envelope. */
class UpstreamErrorIT {
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway(UPSTREAM);

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "OpenAI|404|application/json"
            + "|{'error':{'message':'no such model','type':'invalid_request_error','param':null,'code':'model_not_found'}}"
            + "|{'error':{'message':'no such model','type':'invalid_request_error','param':null,'code':'model_not_found'}}",
        "Anthropic|529|application/json"
            + "|{'type':'error','error':{'type':'overloaded_error','message':'Overloaded','details':{'n':1.10}},'request_id':'req_1'}"
            + "|{'error':{'type':'overloaded_error','message':'Overloaded','details':{'n':1.10}}}",
        "Ollama|404|application/json; charset=utf-8"
            + "|{'error':'model not found'}|{'error':{'message':'model not found','type':'not_found'}}",
        "vLLM|400|application/json"
            + "|{'object':'error','message':'too long','type':'BadRequestError','param':null,'code':400}"
            + "|{'error':{'message':'too long','type':'BadRequestError','param':null,'code':400}}",
        "Gemini|429|application/json; charset=UTF-8"
            + "|[{'error':{'code':429,'message':'quota','status':'RESOURCE_EXHAUSTED','details':[]}}]"
            + "|{'error':{'type':'rate_limit_error','code':429,'message':'quota','status':'RESOURCE_EXHAUSTED','details':[]}}",
        "OpenRouter|402|application/json"
            + "|{'error':{'message':'no credits','code':402},'user_id':'user_1'}"
            + "|{'error':{'type':'upstream_error','message':'no credits','code':402}}",
        "FastAPI|422|application/json|{'detail':[{'loc':['body'],'msg':'x'}]}"
            + "|{'error':{'message':'[{\\'loc\\':[\\'body\\'],\\'msg\\':\\'x\\'}]','type':'invalid_request_error'}}",
        "HTML|502|text/html|<html><title>Bad gateway at 10.0.0.7</title></html>"
            + "|{'error':{'message':'The upstream answered with an error.','type':'upstream_error'}}",
        "nothing|503|text/plain|``"
            + "|{'error':{'message':'The upstream answered with an error.','type':'upstream_error'}}",
        "a string|500|application/json|'oops'"
            + "|{'error':{'message':'The upstream answered with an error.','type':'upstream_error'}}",
      })
  void keepsItsStatusAndItsErrorAndNothingElse(
      String upstream, int status, String contentType, String body, String expected)
      throws Exception {
    UPSTREAM.enqueue(
        new Answer.HttpAnswer(
            status, List.of("Content-Type: " + contentType), body.replace('\'', '"')));

    HttpResponse<String> answer = chat();

    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(answer.headers().allValues("content-type")).containsExactly("application/json");
    assertThat(answer.body()).isEqualTo(expected.replace('\'', '"'));
  }

  @ParameterizedTest
  @CsvSource({"responses, gpt-5", "messages, claude-x", "embeddings, text-embedding-3-small"})
  void isTheSameOnEveryEndpointAndWhereAStreamWasAskedFor(String endpoint, String model)
      throws Exception {
    UPSTREAM.enqueue(Answer.json(418, "{\"error\":{\"type\":\"t\",\"message\":\"m\"},\"x\":1}"));

    HttpResponse<String> answer =
        GATEWAY.post("/v1/" + endpoint, "{\"model\":\"" + model + "\",\"stream\":true}");

    assertThat(answer.statusCode()).isEqualTo(418);
    String mark = endpoint.equals("messages") ? "\"type\":\"error\"," : "";
    assertThat(answer.body())
        .isEqualTo("{" + mark + "\"error\":{\"type\":\"t\",\"message\":\"m\"}}");
  }

  @Test
  void neverShowsTheProvidersKey() throws Exception {
    String escaped = TestGateway.PROVIDER_KEY.replace("s", "\\u0073");
    UPSTREAM.enqueue(
        Answer.error(401, "invalid_request_error", "Incorrect: " + TestGateway.PROVIDER_KEY + "!"),
        Answer.error(401, "invalid_request_error", "Incorrect: " + escaped + "!"),
        Answer.json(401, "{\"error\":\"Incorrect: " + TestGateway.PROVIDER_KEY + "!\"}"));

    for (int i = 0; i < 3; i++) {
      assertThat(chat().body()).contains("\"Incorrect: ***!\"");
    }
    assertThat(GATEWAY.log()).doesNotContain(TestGateway.PROVIDER_KEY);
  }

  @ParameterizedTest
  @CsvSource({"301", "302", "307", "308", "204", "304"})
  void aStatusThatIsNoAnswerIsABadGateway(int status) throws Exception {
    boolean bare = status == 204 || status == 304;
    UPSTREAM.enqueue(
        exchange ->
            exchange.send(
                "HTTP/1.1 %d Status\r\nLocation: %s/elsewhere\r\n%s"
                    .formatted(
                        status, UPSTREAM.url(), bare ? "\r\n" : "Content-Length: 2\r\n\r\n{}")));

    HttpResponse<String> answer = chat();

    assertThat(answer.statusCode()).isEqualTo(502);
    assertThat(answer.body()).contains("\"type\":\"upstream_error\"").doesNotContain("elsewhere");
    assertThat(answer.headers().map()).doesNotContainKey("location");
    assertThat(UPSTREAM.requests()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"text/html, <html>portal</html>", "application/json, ''", "application/json, [1]"})
  void anAnswerOfStatus200ThatIsNoJsonObjectIsABadGateway(String contentType, String body)
      throws Exception {
    UPSTREAM.enqueue(new Answer.HttpAnswer(200, List.of("Content-Type: " + contentType), body));

    HttpResponse<String> answer = chat();

    assertThat(answer.statusCode()).isEqualTo(502);
    assertThat(answer.body()).contains("\"type\":\"upstream_error\"").doesNotContain("portal");
  }

  @ParameterizedTest
  @Timeout(TestTimeout.SECONDS)
  @CsvSource({"100 Continue", "102 Processing", "103 Early Hints"})
  void aNoticeBeforeTheAnswerIsNotTheAnswer(String notice) throws Exception {
    String body = "{\"choices\":[]}";
    UPSTREAM.enqueue(
        Answer.rawThen("HTTP/1.1 " + notice + "\r\nLink: </x>\r\n\r\n", Answer.json(body)));

    HttpResponse<String> answer = chat();

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo(body);
    assertThat(UPSTREAM.requests()).hasSize(1);
  }

  private static HttpResponse<String> chat() throws Exception {
    return GATEWAY.post("/v1/chat/completions", "{\"model\":\"gpt-5\"}");
  }
}
