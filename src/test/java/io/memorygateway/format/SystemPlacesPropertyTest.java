package io.memorygateway.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.call.MemoryContext;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.json.JsonValue;
import io.memorygateway.testing.Runs;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Contract §7, at Anthropic's endpoint: wherever the caller's system messages stood, and whatever
 * others wrote to the thread meanwhile, they go up where the provider takes them.
 */
class SystemPlacesPropertyTest {
  private static final String TOOLS = "{'model':'m','max_tokens':9,'tools':[{'name':'f'}],";

  private final Format messages = new MessagesFormat();

  @ParameterizedTest
  @CsvSource({
    // A second window writes while the tool of the first one runs.
    "u:a s:x c:1 r:1, u:a c:1 u:b a:c, user system assistant user",
    "u:a s:x c:1 r:1, u:a c:1 u:b c:2 r:2 a:c, user system assistant user assistant user",
    // The answer behind it was deleted.
    "u:a s:x a:b u:c, u:a, user system assistant user",
    "u:a s:x a:b u:c s:y a:d u:e, u:a u:c a:d, user system assistant user",
  })
  void goUpBetweenTheUsersWordsAndTheModels(String call, String thread, String roles) {
    String up = upstream(spell(call), stored(thread), 0, null);

    assertThat(faults(up)).as(up).isEmpty();
    assertThat(JsonValue.of(up).get("messages").items())
        .extracting(message -> message.text("role"))
        .isEqualTo(List.of(roles.split(" ", -1)));
  }

  @Test
  void goUpBehindTheQuestionAndWhatIsQuoted() {
    String up = upstream(spell("u:a s:x"), stored("u:o a:p u:a"), 2, "Quoted.");

    assertThat(faults(up)).as(up).isEmpty();
    assertThat(up).containsSubsequence("\"a\"", "Quoted.", "\"x\"");
  }

  @Test
  void areTakenByTheProviderWhateverOthersWrote() {
    for (int seed = 0; seed < Runs.of(3000); seed++) {
      Random random = new Random(seed);
      List<String> own = loop(random, "own", true);
      String call = String.join(" ", own);
      List<String> seen = new ArrayList<>(own.subList(0, 1 + random.nextInt(own.size())));
      seen.removeIf(word -> word.startsWith("s") || random.nextInt(9) == 0);
      for (int other = random.nextInt(3); other > 0; other--) {
        seen.addAll(random.nextInt(seen.size() + 1), loop(random, "other" + other, false));
      }
      List<StoredMessage> thread = stored(String.join(" ", seen));
      int skipped = random.nextInt(3) == 0 ? random.nextInt(thread.size() + 1) : 0;
      while (splitsACall(thread, skipped)) {
        skipped--;
      }
      String recall = random.nextInt(3) == 0 ? "Quoted." : null;
      String up = upstream(spell(call), thread, skipped, recall);

      String what = "seed %d%n%s%n%s%n%s".formatted(seed, call, seen, up);
      assertThat(faults(up)).as(what).isEmpty();
      own.stream()
          .filter(word -> word.startsWith("s"))
          .forEach(word -> assertThat(up).as(what).contains("\"" + word.substring(2) + "\""));
    }
  }

  private static boolean splitsACall(List<StoredMessage> thread, int at) {
    List<String> open = new ArrayList<>();
    thread.subList(0, at).forEach(message -> open.addAll(message.callIds()));
    thread.subList(0, at).forEach(message -> open.removeAll(message.resultIds()));
    return !open.isEmpty();
  }

  /** Turns of one writer, some with tools, that end with the user's words or a tool's result. */
  private static List<String> loop(Random random, String name, boolean reminded) {
    List<String> words = new ArrayList<>();
    int turns = 1 + random.nextInt(4);
    for (int turn = 0; turn < turns; turn++) {
      String id = name + turn;
      words.add("u:" + id);
      remind(words, random, reminded);
      for (int step = random.nextInt(3); step > 0; step--) {
        words.add("c:" + id + step);
        words.add("r:" + id + step);
        remind(words, random, reminded);
      }
      if (turn < turns - 1 || !reminded) {
        words.add("a:" + id + "end");
      }
    }
    return words;
  }

  private static void remind(List<String> words, Random random, boolean reminded) {
    if (reminded && random.nextBoolean()) {
      words.add("s:" + words.size() + "reminder");
    }
  }

  private String upstream(
      List<String> call, List<StoredMessage> thread, int skipped, String recall) {
    Conversation read = Calls.read(messages, TOOLS + "'messages':[" + joined(call) + "]}");
    Conversation.Aligned aligned = read.align(Talk.forms(thread), List.of());
    int to = aligned.alignment().storedTo();
    List<StoredMessage> sent = thread.subList(Math.min(skipped, to), to);
    MemoryContext context = new MemoryContext(null, 0, Math.min(skipped, to), sent, recall);
    return Answers.text(messages.write(aligned.fresh(), Calls.model("m"), context));
  }

  private static List<String> faults(String up) {
    return new MessagesRequestChecker().faults(up);
  }

  private List<StoredMessage> stored(String words) {
    String body = "{'model':'m','messages':[" + joined(spell(words)) + "]}";
    return Calls.read(messages, body).messages();
  }

  private static String joined(List<String> json) {
    return String.join(",", json);
  }

  /** {@code u:hi s:rule a:hello c:1 r:1}. */
  private static List<String> spell(String words) {
    List<String> json = new ArrayList<>();
    for (String word : words.isEmpty() ? new String[0] : words.split(" ", -1)) {
      String form =
          switch (word.charAt(0)) {
            case 'u' -> "{'role':'user','content':'%s'}";
            case 'a' -> "{'role':'assistant','content':'%s'}";
            case 's' -> "{'role':'system','content':'%s'}";
            case 'c' ->
                "{'role':'assistant','content':[{'type':'tool_use','id':'%s','name':'f','input':{}}]}";
            default ->
                "{'role':'user','content':[{'type':'tool_result','tool_use_id':'%s','content':'x'}]}";
          };
      json.add(Calls.json(form.formatted(word.substring(2))));
    }
    return json;
  }
}
