package io.memorygateway.format;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.MessageWriters;
import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.format.messages.MessagesTranslator;
import io.memorygateway.format.translation.Dropped;
import io.memorygateway.format.translation.Effort;
import io.memorygateway.format.translation.OutputFormat;
import io.memorygateway.format.translation.Request;
import io.memorygateway.format.translation.Terms;
import io.memorygateway.format.translation.Tool;
import io.memorygateway.format.translation.ToolChoice;
import io.memorygateway.format.translation.Translator;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A call of Messages that tests put together and write, in single quotes. */
abstract class CallOfMessages {
  static final String ASKED = "{'role':'user','content':'Q'}";

  final Translator messages = new MessagesTranslator();
  final Dropped dropped = new Dropped();
  final Map<String, Request.Shared> shared = new LinkedHashMap<>();
  final List<Tool> tools = new ArrayList<>();
  final List<Utterance> said = new ArrayList<>();
  final List<String> stop = new ArrayList<>();
  ToolChoice choice;
  Boolean parallel;
  OutputFormat output;
  Effort effort;
  Long budget;
  Long maxOutput;
  String user;
  boolean budgets;
  boolean remembered;
  UpstreamModel model = Calls.model("up");

  static JsonValue json(String quoted) {
    return JsonValue.of(quoted.replace('\'', '"'));
  }

  CallOfMessages chat(String... all) {
    for (String message : all) {
      StoredMessage stored = StoredMessage.ofMessage(json(message), Shape.CHAT);
      said.add(
          stored.role().equals("developer")
              ? Utterance.of("system", stored.utterance().parts())
              : stored.utterance());
    }
    return this;
  }

  String write() throws MalformedBodyException {
    Request request =
        new Request(
            MessageWriters.paired(said, messages.ids(), result -> {}),
            tools,
            choice,
            parallel,
            output,
            effort,
            budget,
            maxOutput,
            stop,
            user,
            true,
            shared);
    Terms terms =
        new Terms(
            model,
            "maker",
            8192L,
            "max_tokens",
            budgets ? Terms.Reasoning.BUDGET : Terms.Reasoning.EFFORT,
            Map.of(),
            Set.of(),
            null,
            remembered);
    String body = new String(messages.write(request, terms, messages, dropped), UTF_8);
    assertThat(new MessagesRequestChecker().faults(body)).as(body).isEmpty();
    return body.replace('"', '\'');
  }

  void share(String name, String value) {
    shared.put(name, new Request.Shared(name, json(value)));
  }

  void assertRefused(String member) {
    assertThatThrownBy(this::write)
        .isInstanceOf(MalformedBodyException.class)
        .hasMessageStartingWith(member);
  }
}
