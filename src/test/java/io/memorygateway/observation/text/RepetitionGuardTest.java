package io.memorygateway.observation.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RepetitionGuardTest {
  private static final String LINE = "* (10:00) The assistant searched for flats again.";

  @Test
  void aCondensedLogNeedNotSayAnythingTwice() {
    assertThat(RepetitionGuard.isRepeatingItself("* a\n* a")).isFalse();
    assertThat(RepetitionGuard.isRepeatingItself("* a\n* a\n  * a")).isTrue();
    assertThat(RepetitionGuard.isRepeatingItself("* a\n* b\n* c")).isFalse();
    assertThat(RepetitionGuard.isRepeatingItself("")).isFalse();
  }

  @Test
  void notesMayRepeatAFewLines() {
    int few = 999 / LINE.length();
    assertThat(RepetitionGuard.isRepeating((LINE + "\n").repeat(few))).isFalse();
    assertThat(RepetitionGuard.isRepeating((LINE + "\n").repeat(few + 1))).isTrue();
    String hundred = "x".repeat(100) + "\n";
    assertThat(RepetitionGuard.isRepeating(hundred.repeat(9))).isFalse();
    assertThat(RepetitionGuard.isRepeating(hundred.repeat(10))).isTrue();
    assertThat(RepetitionGuard.isRepeating(lines(20) + "\n" + lines(20))).isFalse();
    assertThat(RepetitionGuard.isRepeating(lines(20) + "\n" + lines(20) + "\n" + lines(1)))
        .isTrue();
  }

  @Test
  void aLongLineMayNotRepeatItself() {
    assertThat(RepetitionGuard.isRepeating("* " + "and again ".repeat(200))).isTrue();
    assertThat(RepetitionGuard.isRepeating("* " + "and again ".repeat(149))).isFalse();
    String prose =
        IntStream.range(0, 200).mapToObj(i -> "item " + i * 7919).collect(Collectors.joining(" "));
    assertThat(prose).hasSizeBetween(1_600, 9_000);
    assertThat(RepetitionGuard.isRepeating(prose)).isFalse();
  }

  @Test
  void aLineHasABoundedLength() {
    String prose =
        IntStream.range(0, 2000).mapToObj(i -> "item " + i * 7919).collect(Collectors.joining(" "));
    assertThat(RepetitionGuard.isRepeating(prose.substring(0, 10_000).replace(' ', '_'))).isFalse();
    assertThat(RepetitionGuard.isRepeating(prose.substring(0, 10_001).replace(' ', '_'))).isTrue();
  }

  private static String lines(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "* (10:%02d) The build was polled: still running.".formatted(i))
        .collect(Collectors.joining("\n"));
  }
}
