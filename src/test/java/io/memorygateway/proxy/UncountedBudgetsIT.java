package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §15: calls of which nobody can tell what they use, under budgets of some models. */
class UncountedBudgetsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                ArrayNode endpoints =
                    Routed.provider(config, "one", UPSTREAM).withArray("endpoints");
                List.of(
                        "batches",
                        "message_batches",
                        "audio",
                        "files",
                        "images",
                        "response_objects")
                    .forEach(endpoints::add);
              });

  private BudgetedKey key;

  @BeforeEach
  void issue() throws Exception {
    key = BudgetedKey.issue(GATEWAY, "uncounted");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "one/*        | batches              | {}                             | true",
        "one/m        | batches              | {}                             | true",
        "one/m        | batches              | {\"model\":\"one/other\"}      | true",
        "o*           | batches/b/cancel     | {}                             | false",
        "one/m        | messages/batches     | {\"requests\":[]}              | true",
        "one/m        | responses/r/cancel   | {}                             | false",
        "one/m        | audio/transcriptions | model=one/m                    | true",
        "one/m        | audio/speech         | {\"model\":\"one/m\"}          | true",
        "one/m        | audio/speech         | {\"input\":\"x\"}              | true",
        "one/m        | audio/speech         | {\"model\":\"one/other\",\"Model\":\"m\"} | true",
        "one/m        | audio/speech         | {\"model\":\"one/other\",\"models\":[\"m\"]} | true",
        "one/m        | audio/speech         | {\"model\":\"one/other\",\"fallbacks\":[{\"model\":\"m\"}]} | true",
        "one/m        | audio/speech         | {\"model\":\"one/other\"}      | false",
        "other/*      | batches              | {}                             | false",
        "on           | batches              | {}                             | false",
        "one/m        | files                | {}                             | false",
      })
  void whatIsPassedOnIsOfEveryModelThatItMayBeOf(
      String models, String path, String body, boolean refused) throws Exception {
    checked(models, path, body, refused);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "one/m         | chat/completions | \"Model\":\"m\"  | true",
        "one/m         | responses        | \"Model\":\"m\",\"background\":true | true",
        "one/m,other/m | chat/completions | \"MODELS\":[\"m\"] | true",
        "one/m         | chat/completions | \"Name\":\"m\"   | false",
        "one/ot*       | chat/completions | \"Model\":\"m\"  | false",
        "other/*       | chat/completions | \"Model\":\"m\"  | false",
      })
  void aModelThatOnlyTheProviderCanReadIsOfEveryBudgetOfTheProviders(
      String models, String path, String member, boolean refused) throws Exception {
    String asked = path.equals("responses") ? "\"input\":\"Hi.\"" : "\"messages\":[%s]";
    String message = "{\"role\":\"user\",\"content\":\"Hi.\"}";
    checked(
        models,
        path,
        "{\"model\":\"one/other\",\"max_tokens\":10,%s,%s}"
            .formatted(member, asked.formatted(message)),
        refused);
  }

  @Test
  void whatCannotBeCountedIsRefusedUnlessThatIsAllowed() throws Exception {
    key.budget("tokens", "1000", "");

    ErrorEnvelope.check(image(), 402, "billing_error");
    assertThat(UPSTREAM.requests()).isEmpty();

    key.budget("tokens", "1000", "&unpriced=allow");
    UPSTREAM.enqueue(Answer.json("{}"));
    assertThat(image().statusCode()).isEqualTo(200);
  }

  @Test
  void aResponseInTheBackgroundCannotBeCounted() throws Exception {
    key.budget("tokens", "1000", "");

    for (String written : List.of("true", "\"true\"", "1", "true,\"background\":false")) {
      JsonNode error = ErrorEnvelope.check(background(written), 402, "billing_error");
      assertThat(error.path("message").asText()).contains("background");
    }
    assertThat(UPSTREAM.requests()).isEmpty();

    key.budget("tokens", "1000000", "&unpriced=allow");
    UPSTREAM.enqueue(Answer.json("{\"id\":\"r\",\"object\":\"response\",\"status\":\"queued\"}"));
    assertThat(background("true").statusCode()).isEqualTo(200);
  }

  private HttpResponse<String> background(String written) throws Exception {
    return post(
        "responses", "{\"model\":\"one/m\",\"input\":\"Hi.\",\"background\":" + written + "}");
  }

  private HttpResponse<String> image() throws Exception {
    return post("images/generations", "{\"model\":\"one/m\",\"prompt\":\"a cat\"}");
  }

  private void checked(String models, String path, String body, boolean refused) throws Exception {
    key.budget("tokens", "1000000", "&models=" + models);
    UPSTREAM.answer(request -> Answer.json("{}"));
    if (!refused) {
      assertThat(post(path, body).statusCode()).isEqualTo(200);
      return;
    }
    ErrorEnvelope.check(post(path, body), 402, "billing_error");
    assertThat(UPSTREAM.requests()).isEmpty();

    key.budget("tokens", "1000000", "&unpriced=allow&models=" + models);
    assertThat(post(path, body).statusCode()).isEqualTo(200);
  }

  private HttpResponse<String> post(String path, String body) throws Exception {
    HttpRequest.Builder request = key.request("/v1/" + path).header("x-gateway-provider", "one");
    if (!body.startsWith("{")) {
      request.setHeader("Content-Type", "text/plain");
    }
    return GATEWAY.send(request.POST(HttpRequest.BodyPublishers.ofString(body)));
  }
}
