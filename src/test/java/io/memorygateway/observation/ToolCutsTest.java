package io.memorygateway.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.content.MessagePiece;
import io.memorygateway.observation.text.UnobservedMessage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ToolCutsTest {
  @Test
  void aCallStaysWithItsResult() {
    assertThat(cuts("u", "call a", "result a", "u")).containsExactly(1, 3, 4);
    assertThat(cuts("call a", "call b", "result b", "result a", "u")).containsExactly(4, 5);
    assertThat(cuts("call a", "result a", "call a", "result a")).containsExactly(2, 4);
  }

  @Test
  void nothingIsCutBehindACallWhoseResultMayStillCome() {
    assertThat(cuts("u", "call a")).containsExactly(1);
    assertThat(cuts("u", "call a", "call b", "result b")).containsExactly(1);
  }

  @Test
  void aCallIsGivenUpOnceTheUserHasGoneOn() {
    assertThat(cuts("u", "call a", "u")).containsExactly(1, 2, 3);
    assertThat(cuts("u", "call a", "u", "result a", "u")).containsExactly(1, 4, 5);
    List<String> agent = new ArrayList<>(List.of("call lost"));
    for (int i = 0; i < 60; i++) {
      agent.add("call " + i);
      agent.add("result " + i);
    }
    assertThat(cuts(agent.toArray(String[]::new))).hasSize(61);
  }

  @Test
  void aResultWithoutAnIdStaysWithTheLastCalls() {
    assertThat(cuts("u", "call a", "result ", "u")).containsExactly(1, 3, 4);
    assertThat(cuts("call a", "call b", "result ", "result ", "u")).containsExactly(4, 5);
    assertThat(cuts("call a", "call b", "result ", "result a", "u")).containsExactly(4, 5);
    assertThat(cuts("call a", "call b", "result ")).isEmpty();
    assertThat(cuts("call a", "result ", "call b", "result ")).containsExactly(2, 4);
    assertThat(cuts("call ", "result ", "call ", "result ")).containsExactly(2, 4);
    assertThat(cuts("result ", "u")).containsExactly(1, 2);
    assertThat(cuts("call a", "result a", "u", "result ", "u", "result "))
        .containsExactly(2, 3, 4, 5, 6);
  }

  @Test
  void aResultWithoutItsCallMayStandAlone() {
    assertThat(cuts("result a", "u")).containsExactly(1, 2);
  }

  @Test
  void theNewestFifthStays() {
    CutRule rule = new CutRule(1000);
    assertThat(choose(rule, 1000, 200, 200, 200, 200, 200)).isEqualTo(4);
    assertThat(choose(rule, 1100, 200, 200, 200, 200, 300)).isEqualTo(4);
    assertThat(choose(rule, 1010, 300, 300, 300, 110)).isEqualTo(2);
  }

  @Test
  void aMessageThatIsTooLargeGoesAsWell() {
    CutRule rule = new CutRule(1000);
    assertThat(choose(rule, 5000, 5000)).isEqualTo(1);
    assertThat(choose(rule, 5000, 4950, 50)).isEqualTo(1);
    assertThat(choose(rule, 5200, 5000, 200)).isEqualTo(1);
  }

  @Test
  void ofVeryMuchOnlySoMuchGoesAtOnce() {
    CutRule rule = new CutRule(1000);
    assertThat(choose(rule, 10_000, LongStream.generate(() -> 100).limit(100).toArray()))
        .isEqualTo(10);
  }

  private static int choose(CutRule rule, long pending, long... batches) {
    return rule.choose(
        LongStream.of(batches).boxed().toList(),
        IntStream.rangeClosed(1, batches.length).boxed().toList(),
        pending);
  }

  private static List<Integer> cuts(String... messages) {
    List<UnobservedMessage> row = new ArrayList<>();
    for (String message : messages) {
      String id = message.substring(message.indexOf(' ') + 1);
      MessagePiece piece =
          message.startsWith("call")
              ? new MessagePiece.ToolCall(id, "f", "{}")
              : message.startsWith("result")
                  ? new MessagePiece.ToolResult(id, List.of(), false)
                  : new MessagePiece.Text("hello");
      String role =
          message.equals("u") ? "user" : message.startsWith("call") ? "assistant" : "tool";
      row.add(new UnobservedMessage(row.size(), "m", role, List.of(piece), Instant.EPOCH, 1));
    }
    return ToolCuts.of(row);
  }
}
