package io.memorygateway.format.call;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Format;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §10: reasoning stays behind where the target's maker is another; nothing else does. */
class ReasoningRemovalTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"role\":\"assistant\",\"content\":\"x\",\"reasoning_content\":\"r\"} |"
            + " {\"role\":\"assistant\",\"content\":\"x\"}",
        "{\"reasoning\":\"r\",\"role\":\"assistant\" , \"content\":1.0} | {\"role\":\"assistant\" ,"
            + " \"content\":1.0}",
        "{\"role\":\"assistant\",\"reasoning_details\":[{\"a\":1}],"
            + " \"content\":\"x\",\"reasoning\":\"r\", \"extra_content\":{}} |"
            + " {\"role\":\"assistant\",\"content\":\"x\"}",
        "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"1\",\"extra_content\":{\"google\":{\"thought_signature\":\"s\"}}}]}"
            + " | {\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"1\"}]}",
        "{\"role\":\"user\",\"reasoning\":\"r\"} | {\"role\":\"user\",\"reasoning\":\"r\"}",
      })
  void ofChat(String message, String expected) {
    assertThat(removed(new ChatFormat(), "{\"messages\":[" + message + "]}"))
        .isEqualTo("{\"messages\":[" + expected + "]}");
  }

  @Test
  void answersWithoutReasoningGetABlankOne() {
    String said = "{\"role\":\"assistant\",\"reasoning_content\":\"r\"}";
    String asked = "{\"role\":\"user\",\"content\":\"u\"}";
    String blank = "{\"reasoning_content\":\" \",\"role\":\"assistant\",\"content\":\"x\"}";
    for (String silent :
        new String[] {
          "{\"role\":\"assistant\",\"content\":\"x\"}",
          "{\"reasoning_content\":null,\"role\":\"assistant\",\"content\":\"x\"}",
          "{\"role\":\"assistant\",\"reasoning_content\":\"\",\"content\":\"x\"}"
        }) {
      assertThat(filled(new ChatFormat(), asked, said, silent)).isEqualTo(body(asked, said, blank));
    }
    assertThat(filled(new ChatFormat(), asked, said)).isEqualTo(body(asked, said));
    String thought = "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}";
    String text = "{\"type\":\"text\",\"text\":\"x\"}";
    String thinks = "{\"role\":\"assistant\",\"content\":[" + thought + "," + text + "]}";
    for (String content :
        new String[] {"\"x\"", "[" + text + "]", "[" + thought + "," + text + "]"}) {
      String silent = "{\"role\":\"assistant\",\"content\":" + content + "}";
      assertThat(filled(new MessagesFormat(), asked, silent)).isEqualTo(body(asked, thinks));
    }
    String none = "{\"role\":\"assistant\",\"content\":[]}";
    assertThat(filled(new MessagesFormat(), none)).isEqualTo(body(none));
    assertThat(filled(new ResponsesFormat(), none)).isEqualTo(body(none));
  }

  private static String body(String... messages) {
    return "{\"messages\":[" + String.join(",", messages) + "]}";
  }

  private static String filled(Format format, String... messages) {
    return new String(format.withBlankReasoning(body(messages).getBytes(UTF_8)), UTF_8);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[{\"type\":\"thinking\",\"thinking\":\"t\",\"signature\":\"s\"},"
            + " {\"type\":\"text\",\"text\":\"é\"}] | [{\"type\":\"text\",\"text\":\"é\"}]",
        "[{\"type\":\"redacted_thinking\",\"data\":\"d\"},{\"type\":\"tool_use\",\"id\":\"1\"}] |"
            + " [{\"type\":\"tool_use\",\"id\":\"1\"}]",
        "[{\"type\":\"thinking\",\"thinking\":\"t\"}] | [{\"type\":\"text\",\"text\":\"(no"
            + " text)\"}]",
        "\"thinking\" | \"thinking\"",
      })
  void ofMessages(String content, String expected) {
    String around =
        "{\"system\":\"s\",\"messages\":[{\"role\":\"user\",\"content\":\"u\"},{\"role\":\"assistant\",\"content\":%s}]}";
    assertThat(removed(new MessagesFormat(), around.formatted(content)))
        .isEqualTo(around.formatted(expected));
  }

  @Test
  void ofThoughtsThoseThatWereAdded() {
    String known = "{\"type\":\"thinking\",\"thinking\":\"t\",\"signature\":\"a\\u002fb\"}";
    String added = "{\"type\":\"redacted_thinking\",\"data\":\"a\"}";
    String unsigned = "{\"type\":\"thinking\",\"thinking\":\"t\"}";
    String text = "{\"type\":\"text\",\"text\":\"x\"}";
    byte[] received = body(answer(known.replace("\\u002f", "/"), text)).getBytes(UTF_8);
    byte[] sent = body(answer(added, text), answer(known, unsigned, text)).getBytes(UTF_8);
    assertThat(new String(ReasoningRemoval.ofAdded(sent, received), UTF_8))
        .isEqualTo(body(answer(text), answer(known, unsigned, text)));
    assertThat(ReasoningRemoval.ofAdded(sent, body().getBytes(UTF_8))).isSameAs(sent);
  }

  private static String answer(String... blocks) {
    return "{\"role\":\"assistant\",\"content\":[" + String.join(",", blocks) + "]}";
  }

  @Test
  void ofResponses() {
    String item = "{\"type\":\"message\",\"role\":\"user\",\"content\":\"x\"}";
    assertThat(
            removed(
                new ResponsesFormat(),
                "{\"input\":["
                    + item
                    + ", {\"type\":\"reasoning\",\"encrypted_content\":\"e\"},"
                    + item
                    + "]}"))
        .isEqualTo("{\"input\":[" + item + "," + item + "]}");
    assertThat(removed(new ResponsesFormat(), "{\"input\":\"reasoning\"}"))
        .isEqualTo("{\"input\":\"reasoning\"}");
  }

  @Test
  void aBodyWithoutAnyIsNotCopied() {
    byte[] body = "{\"messages\":[{\"role\":\"assistant\",\"content\":\"x\"}]}".getBytes(UTF_8);
    assertThat(new ChatFormat().withoutReasoning(body)).isSameAs(body);
    assertThat(new MessagesFormat().withoutReasoning(body)).isSameAs(body);
    assertThat(new ChatFormat().mayHoldReasoning(body)).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "false | 'reasoning':null,'reasoning_content':'','reasoning_details':[ ],'thinking':{}",
        "false | 'content':[{'type':'text','text':'reasoning'}]",
        "true | 'reasoning':null,'reasoning_content':'hm'",
        "true | 'reasoning_details':[{}]",
        "true | 'content':[{'type':'thinking'}]",
        "true | 'tool_calls':[{'id':'1','extra_content':{'a':1}}]"
      },
      quoteCharacter = '`')
  void membersThatAreNullOrEmptySayNothing(boolean says, String members) {
    String body = "{'messages':[{'role':'assistant',%s}]}".formatted(members);

    assertThat(new ChatFormat().saysReasoning(body.replace('\'', '"').getBytes(UTF_8)))
        .isEqualTo(says);
  }

  @Test
  void whatAProviderDoesNotTakeBackIsRemovedFromACallForAnother() {
    String chat =
        """
        {"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[\
        {"role":"assistant","content":[{"type":"thinking"},{"type":"text","text":"a"}],"reasoning":"t",\
        "tool_calls":[{"id":"1","extra_content":{}}]},{"role":"user","content":"thinking"}]}\
        """;
    ProviderTraits refused = new ProviderTraits(Set.of("reasoning", "thinking"), false, false);
    ProviderTraits options = new ProviderTraits(Set.of("extra_content"), false, true);

    assertThat(without(new ChatFormat(), refused, chat))
        .isEqualTo(
            chat.replace("{\"type\":\"thinking\"},", "").replace("\"reasoning\":\"t\",", ""));
    assertThat(without(new ChatFormat(), options, chat))
        .isEqualTo(
            chat.replace("\"stream_options\":{\"include_usage\":true},", "")
                .replace(",\"extra_content\":{}", ""));

    String messages =
        """
        {"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"t"},\
        {"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"a"}]}]}\
        """;
    ProviderTraits unsigned = new ProviderTraits(Set.of(), true, false);
    assertThat(without(new MessagesFormat(), unsigned, messages))
        .isEqualTo(messages.replace("{\"type\":\"thinking\",\"thinking\":\"t\"},", ""));
    assertThat(without(new MessagesFormat(), options, messages)).isEqualTo(messages);
  }

  private static String without(Format format, ProviderTraits refused, String body) {
    return new String(format.without(refused, body.getBytes(UTF_8)), UTF_8);
  }

  private static String removed(Format format, String body) {
    return new String(format.withoutReasoning(body.getBytes(UTF_8)), UTF_8);
  }
}
