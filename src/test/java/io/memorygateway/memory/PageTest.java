package io.memorygateway.memory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.json.JsonOut;
import java.util.List;
import org.junit.jupiter.api.Test;

class PageTest {
  @Test
  void countsAsFarAsTheDatabaseCan() {
    assertThat(Page.of(null, null, 50)).isEqualTo(new Page(50, 0));
    assertThat(Page.of("0007", "00", 50)).isEqualTo(new Page(7, 0));
    assertThat(Page.of("200", "190000", 50)).isEqualTo(new Page(200, 190_000));
    assertThat(Page.of("201", "9".repeat(18), 50))
        .isEqualTo(new Page(200, 999_999_999_999_999_999L));
    assertThat(Page.of("9".repeat(40), "9".repeat(40), 50))
        .isEqualTo(new Page(200, 1_000_000_000_000_000_000L, "9".repeat(40)));
    JsonOut echoed = Page.of(null, "0" + "9".repeat(20), 50).write(new JsonOut(16), 3);
    assertThat(new String(echoed.toBytes(), UTF_8))
        .isEqualTo(",\"total\":3,\"limit\":50,\"offset\":99999999999999999999");
  }

  @Test
  void seqsAreWrittenInRanges() {
    List<Long> seqs = List.of(3L, 4L, 5L, 9L, 1L, 2L, 2L);
    assertThat(SeqRanges.of(seqs)).hasToString("3-5,9,1-2,2");
    assertThat(SeqRanges.parse("3-5,9,1-2,2").toList()).isEqualTo(seqs);
    assertThat(SeqRanges.parse("").toList()).isEmpty();
    assertThat(SeqRanges.between(5, 4)).hasToString("");
  }
}
