package io.memorygateway.proxy;

import static io.memorygateway.proxy.ThreadCaller.RESPONSES;
import static io.memorygateway.proxy.ThreadCaller.sent;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.SharedGateway;
import java.net.http.HttpResponse;
import java.util.UUID;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code previous_response_id} and {@code conversation} with memory on: the upstream has it. */
class HeldHistoryIT {
  private static final String FIRST = "user \"one\"";

  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway(UPSTREAM);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "\"previous_response_id\":\"resp_elsewhere\"|false",
        "\"previous_response_id\":\"resp_elsewhere\"|true",
        "\"conversation\":\"conv_1\"|false",
        "\"conversation\":{\"id\":\"conv_1\"}|true",
      })
  void theCallGoesUpAsItCameAndItsTurnIsStored(String member, boolean stream) throws Exception {
    ThreadCaller thread = startedThread();
    String body =
        "{\"model\":\"gpt-5\",\"input\":\"two\", %s,\"stream\":%s}".formatted(member, stream);

    HttpResponse<String> answer = thread.call(RESPONSES, body);

    assertThat(UPSTREAM.takeRequest().text()).isEqualTo(body);
    assertThat(answer.headers().firstValue("X-Memory-Status")).hasValue("stored");
    assertThat(thread.stored()).hasSize(4).element(2).isEqualTo("user \"two\"");
    assertThat(thread.rows().get(3).toString()).contains("Hello from the upstream.");
  }

  @ParameterizedTest
  @CsvSource({
    "previous_response_id,false",
    "previous_response_id,true",
    "conversation,false",
    "conversation,true"
  })
  void nullHoldsNothing(String member, boolean stream) throws Exception {
    ThreadCaller thread = startedThread();

    thread.call(
        RESPONSES,
        "{\"model\":\"gpt-5\",\"input\":\"two\",\"%s\":null,\"stream\":%s}"
            .formatted(member, stream));

    assertThat(sent(UPSTREAM.takeRequest().json())).hasSize(3).element(0).isEqualTo(FIRST);
    assertThat(thread.stored()).hasSize(4);
  }

  private static ThreadCaller startedThread() throws Exception {
    ThreadCaller thread = new ThreadCaller(GATEWAY, "held-" + UUID.randomUUID());
    thread.say("one");
    UPSTREAM.takeRequest();
    return thread;
  }
}
