package io.memorygateway.secret;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import io.memorygateway.sse.EventSplitter;
import io.memorygateway.sse.SseEvent;
import io.memorygateway.sse.SseSplitter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §6: the provider's key does not reach the client in the events of a stream. */
class SecretFilterTest {
  private static final String KEY = "sk-a/B+c=9876543210.x";

  private final SecretBytes secret = SecretBytes.of(KEY);

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 64, 4096})
  void theSecretIsFoundInStreamsHoweverTheyAreCut(int chunk) throws IOException {
    String small = "data: {\"x\":\"" + KEY + "\"}\n\n";
    String large = "data: {\"y\":\"" + (KEY + "-").repeat(300) + "z".repeat(3000) + KEY + "\"}\n\n";
    byte[] stream = (small + ": c\n\n" + large + small).getBytes(UTF_8);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int[] starts = {0};
    int[] ends = {0};
    SecretFilter filter =
        new SecretFilter(
            secret,
            event -> {
              starts[0] += event.startsEvent() ? 1 : 0;
              ends[0] += event.endsEvent() ? 1 : 0;
              out.write(event.array(), event.offset(), event.length());
            });
    SseSplitter splitter = new SseSplitter(256);

    for (int at = 0; at < stream.length; at += chunk) {
      splitter.feed(stream, at, Math.min(chunk, stream.length - at), filter);
    }

    assertThat(out.toString(UTF_8)).isEqualTo(new String(stream, UTF_8).replace(KEY, "***"));
    assertThat(starts[0]).isEqualTo(4);
    assertThat(ends[0]).isEqualTo(4);
  }

  @Test
  void aSecretSpreadOverDeltasIsMaskedHoweverItIsSpread() throws IOException {
    Random random = new Random(11);
    for (int round = 0; round < 2000; round++) {
      StringBuilder stream = new StringBuilder();
      String text = "Your key is " + KEY + (random.nextBoolean() ? "" : ", as you know.");
      int at = 0;
      while (at < text.length()) {
        int end = Math.min(text.length(), at + 1 + random.nextInt(9));
        stream.append(delta(text.substring(at, end)));
        if (random.nextInt(4) == 0) {
          stream.append(": comment\n\n");
        }
        at = end;
      }

      String received = textOf(filtered(stream.toString()));

      assertThat(longestPartOfKey(received)).as(received).isLessThanOrEqualTo(KEY.length() / 2);
      assertThat(received).startsWith("Your key is ");
      assertThat(received.endsWith(", as you know.")).isEqualTo(text.endsWith("know."));
    }
  }

  @Test
  void ofALongSecretNoMoreIsPassedOnThanOfAShortOne() throws IOException {
    String longKey = "sk-proj-" + "0123456789abcdef".repeat(8);
    StringBuilder stream = new StringBuilder();
    longKey.chars().forEach(c -> stream.append(delta(String.valueOf((char) c))));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    SecretFilter filter =
        new SecretFilter(
            SecretBytes.of(longKey),
            event -> out.write(event.array(), event.offset(), event.length()));
    byte[] bytes = stream.toString().getBytes(UTF_8);
    new SseSplitter(256).feed(bytes, 0, bytes.length, filter);
    assertThat(textOf(out.toString(UTF_8)).replace("***", ""))
        .isEqualTo(longKey.substring(0, SecretFilter.MOST_SPREAD));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sk-a\\/B+c=98|76543210.x",
        "\\u0073k-|a\\/B+|c=9876543|210.x",
        "s|k|-|a|/|B|+|c|=|9|8|7|6|5|4|3|2|1|0|.|x",
      })
  void aSecretSpreadOverDeltasIsFoundEscapedAndByTheLetter(String spread) throws IOException {
    StringBuilder stream = new StringBuilder();
    for (String part : Splitter.on('|').split(spread)) {
      stream.append("data: {\"delta\":{\"content\":\"").append(part).append("\"}}\n\n");
    }

    String received = textOf(filtered(stream.toString()));

    assertThat(received).contains("***");
    assertThat(longestPartOfKey(received)).isLessThanOrEqualTo(KEY.length() / 2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"choices\":[{\"index\":1,\"delta\":{\"content\":\"another choice\"}}]}",
        "{\"choices\":[{\"delta\":{\"content\":\"its number last\"},\"index\" : 12}]}",
        "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"}}]}",
        "{\"choices\":[{\"index\":0,\"delta\":{}}]}",
        "{\"choices\":[{\"index\":0,\"delta\":{\"content\":null,\"reasoning\":\"Hm.\"}}]}",
        "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\"}}]}}]}",
        "{\"choices\":[],\"usage\":{\"prompt_tokens\":1}}",
        "{\"type\": \"ping\"}",
        "{\"type\":\"response.function_call_arguments.delta\",\"output_index\":1,\"delta\":\"{\"}",
      })
  void eventsOfOtherTextsMayStandBetweenThePartsOfASecret(String between) throws IOException {
    StringBuilder stream = new StringBuilder();
    for (String part : Splitter.fixedLength(5).split("Key " + KEY + ", you know")) {
      stream.append(delta(part)).append("data: ").append(between).append("\n\n");
    }

    String received = filtered(stream.toString());

    String text = textOf(received.replace("data: " + between + "\n\n", ""));
    assertThat(longestPartOfKey(text)).as(text).isLessThanOrEqualTo(KEY.length() / 2);
    assertThat(text).startsWith("Key sk-a/").endsWith(", you know");
    assertThat(received.split("data: ", -1)).hasSameSizeAs(stream.toString().split("data: ", -1));
  }

  @Test
  void aSecretInEachOfManyInterleavedTextsIsFound() throws IOException {
    int choices = 128;
    StringBuilder stream = new StringBuilder();
    for (String part : Splitter.fixedLength(4).split(KEY)) {
      for (int i = 0; i < choices; i++) {
        stream.append(delta(part).replace("\"index\":0", "\"index\":" + i));
      }
    }

    List<String> events = filtered(stream.toString()).lines().toList();

    for (int i = 0; i < choices; i++) {
      String own = "\"index\":" + i + ",";
      String text =
          textOf(String.join("\n", events.stream().filter(line -> line.contains(own)).toList()));
      assertThat(longestPartOfKey(text)).as(text).isLessThanOrEqualTo(KEY.length() / 2);
    }
  }

  @Test
  void otherTextsArePassedOnAsTheyAre() throws IOException {
    StringBuilder stream = new StringBuilder();
    for (String part :
        List.of("sk", "-a", " is how ", "sk", "-", "\\\"sk-a/B", "+d", "", "x", "s")) {
      stream.append(delta(part));
    }
    // Parts of it out of order, and a beginning that another event parts from the rest.
    stream.append(delta("9876543210.x")).append(delta("sk-a/B+")).append(delta("no"));
    stream.append(delta("c=9876543210.x")).append("data: \"unfinished sk-a/B\\");

    assertThat(filtered(stream.toString())).isEqualTo(stream.toString());
  }

  private static String delta(String text) {
    return "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + text + "\"}}]}\n\n";
  }

  private String filtered(String stream) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    EventSplitter.Sink sink = event -> out.write(event.array(), event.offset(), event.length());
    SecretFilter filter = new SecretFilter(secret, sink);
    SseSplitter splitter = new SseSplitter(4096);
    byte[] bytes = stream.getBytes(UTF_8);
    splitter.feed(bytes, 0, bytes.length, filter);
    splitter.finish(
        rest -> {
          SseEvent masked = filter.whole(rest);
          out.write(masked.array(), masked.offset(), masked.length());
        });
    return out.toString(UTF_8);
  }

  private static String textOf(String stream) {
    StringBuilder text = new StringBuilder();
    for (String line : stream.lines().toList()) {
      int start = line.indexOf("\"content\":\"");
      if (start >= 0) {
        text.append(line, start + 11, line.indexOf("\"}", start));
      }
    }
    return text.toString();
  }

  /** Length of the longest part of the key in a text. */
  private static int longestPartOfKey(String text) {
    int longest = 0;
    for (int start = 0; start < KEY.length(); start++) {
      while (start + longest < KEY.length()
          && text.contains(KEY.substring(start, start + longest + 1))) {
        longest++;
      }
    }
    return longest;
  }
}
