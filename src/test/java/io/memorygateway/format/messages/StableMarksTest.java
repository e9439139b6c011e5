package io.memorygateway.format.messages;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.bench.cache.PromptBlock;
import io.memorygateway.bench.cache.PromptCache;
import io.memorygateway.format.Answers;
import io.memorygateway.format.Calls;
import io.memorygateway.format.align.Alignment;
import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.call.MemoryContext;
import io.memorygateway.format.call.ProviderTraits;
import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.format.content.StoredMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §8: what the gateway marks of a call of Messages, and where quotations stand. */
class StableMarksTest {
  private static final String MARK = ",'cache_control':{'type':'ephemeral'}";
  private static final String HOUR = ",'cache_control':{'type':'ephemeral','ttl':'1h'}";
  private static final List<StoredMessage> STORED =
      List.of(Calls.stored("user", "'a'"), Calls.stored("assistant", "'b'"));

  @Test
  void theLogAndTheLastStoredBlockAreMarkedAndQuotationsStandBehindTheCallersWords() {
    assertThat(written("'messages':[{'role':'user','content':'c'}]", "log", "quoted"))
        .isEqualTo(
            "{'model':'m','system':[{'type':'text','text':'log'"
                + MARK
                + "}],'messages':[{'role':'user','content':'a'},{'role':'assistant','content':[{'type':'text','text':'b'"
                + MARK
                + "}]},{'role':'user','content':[{'type':'text','text':'c'},{'type':'text','text':'quoted'}]}]}");
  }

  @Test
  void whereMemoryAddsNoWordsNothingIsMarked() {
    assertThat(written("'messages':[{'role':'user','content':'c'}]", null, null))
        .doesNotContain("cache_control");
  }

  @ParameterizedTest
  @CsvSource({"0, log b", "1, log b", "2, log b", "3, b", "4, ''", "5, ''"})
  void theCallersMarksCountFirstAndTheMessagesBeforeTheLog(int own, String marked) {
    StringJoiner tools = new StringJoiner(",", "'tools':[", "],");
    for (int tool = 0; tool < 5; tool++) {
      tools.add("{'name':'f" + tool + "'" + (tool < own ? MARK : "") + "}");
    }
    String up = written(tools + "'messages':[{'role':'user','content':'c'}]", "log", "quoted");
    assertThat(up).contains(tools.toString());
    assertThat(markedTexts(up)).isEqualTo(marked);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "'system':'s',|{'type':'text','text':'c'%s}",
        "'system':[{'type':'text','text':'s'%s}],|{'type':'text','text':'c'%s}",
        "|{'type':'tool_result','tool_use_id':'x','content':[{'type':'text','text':'c'%s}]}",
        "'cache_control':{'type':'ephemeral','ttl':'1h'},|{'type':'text','text':'c'}",
      })
  void beforeAMarkThatLastsAnHourTheGatewaysDoAsWell(String before, String block) {
    String up =
        written(
            (before == null ? "" : before.replace("%s", HOUR))
                + "'messages':[{'role':'user','content':["
                + block.replace("%s", HOUR)
                + "]}]",
            "log",
            null);
    assertThat(up).contains("'text':'log'" + HOUR, "'text':'b'" + HOUR);
    assertThat(up).doesNotContain(MARK);
  }

  @Test
  void theMarkOfWhateverComesLastIsSetWhereTheCallersWordsEnd() {
    String call = "'cache_control':{'type':'ephemeral'},'messages':[{'role':'user','content':'c'}]";
    assertThat(written(call, "log", "quoted"))
        .contains("'cache_control':null", "{'type':'text','text':'c'" + MARK + "}");
    assertThat(written(call, "log", null)).contains("'cache_control':{'type':'ephemeral'},");
  }

  @Test
  void whatMayCarryNoneIsNotMarked() {
    List<StoredMessage> stored =
        List.of(
            Calls.stored("user", "'a'"),
            Calls.stored(
                "assistant",
                "[{'type':'text','text':'b'},{'type':'thinking','thinking':'t','signature':'s'},"
                    + "{'type':'server_tool_use','id':'x','name':'n','input':{}}]"));
    String up = written("'messages':[{'role':'user','content':'c'}]", stored, "log", null);
    assertThat(markedTexts(up)).isEqualTo("log b");
  }

  @Test
  void marksOfStoredMessagesDoNotGoUpAgainNorThoseWithinResults() {
    List<StoredMessage> stored = new ArrayList<>();
    for (int at = 0; at < 5; at++) {
      stored.add(
          Calls.stored(
              "user",
              "[{'type':'text','text':'a','cache_control':{'type':'ephemeral','ttl':'1h'}}]"));
      stored.add(
          Calls.stored(
              "assistant", "[{'type':'tool_use','id':'" + at + "','name':'f','input':{}}]"));
      stored.add(
          Calls.stored(
              "user",
              "[{'type':'tool_result','tool_use_id':'"
                  + at
                  + "','content':[{'type':'text','text':'r','cache_control':{'type':'ephemeral'}}]}]"));
      stored.add(Calls.stored("assistant", "'b'"));
    }
    String up = written("'messages':[{'role':'user','content':'c'}]", stored, "log", "quoted");
    assertThat(up.split("cache_control", -1)).hasSize(3);
  }

  @Test
  void aCallThatIsTranslatedIsNotMarked() {
    MessagesFormat format = new MessagesFormat();
    Conversation call =
        Calls.read(format, "{'model':'m','messages':[{'role':'user','content':'c'}]}");
    MemoryContext context = new MemoryContext("log", 0, 0, STORED, "quoted");
    UpstreamModel model = new UpstreamModel("m", ProviderTraits.ALL, 0, "", true);
    assertThat(Answers.text(format.write(call, model, context))).doesNotContain("cache_control");
  }

  @Test
  void whereAnUpstreamWouldNotLookBackThatFarTheMarkOfTheCallBeforeIsSetAgain() {
    for (int parallel : new int[] {8, 9, 30}) {
      List<String> calls = new ArrayList<>();
      List<String> results = new ArrayList<>();
      for (int at = 0; at < parallel; at++) {
        calls.add("{'type':'tool_use','id':'c" + at + "','name':'f','input':{}}");
        results.add("{'type':'tool_result','tool_use_id':'c" + at + "','content':'r'}");
      }
      List<StoredMessage> stored =
          List.of(
              Calls.stored("user", "'a'"),
              Calls.stored("assistant", "'b'"),
              Calls.stored("user", "'c'"),
              Calls.stored("assistant", calls.toString()),
              Calls.stored("user", results.toString()),
              Calls.stored("assistant", "'d'"));
      String up = written("'messages':[{'role':'user','content':'e'}]", stored, "log", null);
      int distance = parallel + 2;
      assertThat(up.split("cache_control", -1)).hasSize(distance > 20 ? 4 : 3);
      assertThat(up).contains("'text':'d'" + MARK);
    }
  }

  @Test
  void noCallThatAnthropicTakesIsRefusedForItsMarks() {
    for (int seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      String call = marked(random);
      if (isTaken("{'model':'m'," + call + "}")) {
        String log = random.nextBoolean() ? "log" : null;
        String up = written(call, log, random.nextBoolean() ? "quoted" : null);
        assertThat(isTaken(up)).as("%s: %s", call, up).isTrue();
      }
    }
  }

  private static String marked(Random random) {
    String automatic = random.nextInt(4) == 0 ? mark(random, 1).substring(1) + "," : "";
    return automatic
        + "'tools':[{'name':'f'%s},{'name':'g'%s}],'system':[{'type':'text','text':'s'%s}],"
            .formatted(mark(random, 3), mark(random, 3), mark(random, 2))
        + "'messages':[{'role':'user','content':[{'type':'text','text':'x'%s},{'type':'text','text':'y'%s}]}]"
            .formatted(mark(random, 3), mark(random, 2));
  }

  private static String mark(Random random, int oneOf) {
    return random.nextInt(oneOf) > 0 ? "" : random.nextInt(3) == 0 ? HOUR : MARK;
  }

  private static boolean isTaken(String json) {
    JsonNode body = PromptBlock.tree(Calls.json(json));
    JsonNode automatic = body.path("cache_control");
    try {
      PromptCache.marked().send(PromptBlock.of(body), automatic);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static String markedTexts(String body) {
    StringJoiner texts = new StringJoiner(" ");
    for (PromptBlock block : PromptBlock.of(PromptBlock.tree(Calls.json(body)))) {
      if (block.mark().isObject() && block.type().equals("text")) {
        texts.add(block.text().substring(block.text().indexOf(' ') + 1).strip());
      }
    }
    return texts.toString();
  }

  private static String written(String call, @Nullable String log, @Nullable String quoted) {
    return written(call, STORED, log, quoted);
  }

  private static String written(
      String call, List<StoredMessage> stored, @Nullable String log, @Nullable String quoted) {
    MessagesFormat format = new MessagesFormat();
    Conversation read = Calls.read(format, "{'model':'m'," + call + "}");
    Conversation fresh = Calls.fresh(read, new Alignment(0, 0, stored.size()));
    MemoryContext context = new MemoryContext(log, 0, 0, stored, quoted);
    return Answers.text(format.write(fresh, Calls.model("m"), context)).replace('"', '\'');
  }
}
