package io.memorygateway.memory.rows;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SeqRangesTest {
  @Test
  void seqsAreWrittenInRanges() {
    List<Long> seqs = List.of(3L, 4L, 5L, 9L, 1L, 2L, 2L);
    assertThat(SeqRanges.of(seqs)).hasToString("3-5,9,1-2,2");
    assertThat(SeqRanges.parse("3-5,9,1-2,2").toList()).isEqualTo(seqs);
    assertThat(SeqRanges.parse("").toList()).isEmpty();
    assertThat(SeqRanges.between(5, 4)).hasToString("");
  }
}
