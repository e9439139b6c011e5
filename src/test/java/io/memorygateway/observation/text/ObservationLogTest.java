package io.memorygateway.observation.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §8: a log is only appended to, and a part of it tells its day. */
class ObservationLogTest {
  private static final String NOV_20 = "Date: November 20, 2026";
  private static final String NOV_21 = "Date: November 21, 2026";
  private static final String LOG = NOV_20 + "\n* a\n" + NOV_21 + "\n* b\n* c";

  @Test
  void aLogGrowsAtItsEndOnly() {
    assertThat(ObservationLog.toAppend(LOG, NOV_21 + "\n* d\n")).isEqualTo("\n* d");
    assertThat(ObservationLog.toAppend(LOG, NOV_20 + "\n* d")).isEqualTo("\n" + NOV_20 + "\n* d");
    assertThat(ObservationLog.toAppend(LOG, "* d")).isEqualTo("\n* d");
    assertThat(ObservationLog.toAppend(LOG, NOV_21)).isEmpty();
    assertThat(ObservationLog.toAppend("", " " + NOV_21 + "\n* d ")).isEqualTo(NOV_21 + "\n* d");
    assertThat(ObservationLog.toAppend(LOG, " \n ")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"100, 7", "12, 3", "7, 2", "6, 1", "5, 1", "4, 1", "3, 1", "2, 0", "1, 0"})
  void theEndOfALogHasWholeLines(int characters, int lines) {
    String log = "* 1\n* 2\n* 3\n* 4\n* 5\n* 6\n* 7";
    String end = ObservationLog.end(log, characters);
    assertThat(log).endsWith(end);
    assertThat(end.lines()).hasSize(lines).allMatch(ObservationLog::isItem);
    assertThat(end.length()).isLessThanOrEqualTo(characters);
  }

  @Test
  void aLogOfTheLargestSizeIsItsOwnEnd() {
    assertThat(ObservationLog.end("* 1\n* 2", 7)).isEqualTo("* 1\n* 2");
    assertThat(ObservationLog.end("* 1", 2)).isEmpty();
  }

  @Test
  void theRestOfALogBeginsWithItsDay() {
    assertThat(ObservationLog.rest(LOG, LOG.indexOf("\n* c"))).isEqualTo(NOV_21 + "\n* c");
    assertThat(ObservationLog.rest(LOG, LOG.indexOf("\n" + NOV_21)))
        .isEqualTo(NOV_21 + "\n* b\n* c");
    assertThat(ObservationLog.rest(LOG, LOG.length())).isEmpty();
    assertThat(ObservationLog.rest("* a\n* b", 3)).isEqualTo("* b");
    assertThat(ObservationLog.rest(LOG, 0)).isEqualTo(LOG);
  }

  @Test
  void aLaterObservationIsAppended() {
    Observation first = new Observation(NOV_20 + "\n* a", "task", "go on", "title");
    Observation silent = new Observation(NOV_20 + "\n* b", null, null, null);
    assertThat(first.then(silent))
        .isEqualTo(new Observation(NOV_20 + "\n* a\n* b", "task", "go on", "title"));
    assertThat(silent.then(first))
        .isEqualTo(new Observation(NOV_20 + "\n* b\n* a", "task", "go on", "title"));
    assertThat(first.then(new Observation("", "other", "stop", "name")))
        .isEqualTo(new Observation(first.log(), "other", "stop", "name"));
  }
}
